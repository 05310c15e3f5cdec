#pragma once

#include <metasan/rules.h>
#include <metasan/state.h>

#include "runtime/guard/declaration.h"
#include "runtime/guard/history.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>
#include <vector>

namespace metasan::guard {

/// What a report says about one tensor; a copy of the facts, so that it outlives the tensor.
struct TensorFacts {
  std::string name;  ///< fully qualified; empty when its module is not known
  std::vector<int64_t> sizes;
  c10::ScalarType dtype;
  DeclarationPtr declaration;  ///< null when MetaSan did not see where it was made
  std::string derived_by;  ///< the operator that computed it from the named tensor; empty for that
                           ///< tensor itself
  State state = State::Declared;
  History history = {};         ///< what happened to it since it was declared
  std::string checkpoint = {};  ///< the path of the checkpoint it is bound to; empty when it is not
  std::string checkpoint_note = {};  ///< what became of its key there: "has no 'x'; nearest 'y'"
};

/// What a report says of a state: "declared, no data".
std::string_view state_note(State state);

/// The facts about `tensor`; its record is read when it has one.
TensorFacts facts_of(const at::Tensor& tensor);

/// One violation of a rule, as found; rendering it is the report folder's work.
struct Violation {
  Rule rule;
  std::string op;  ///< "aten::to.device", or the MetaSan function: "metasan::dispatch_model"
  std::string argument = {};         ///< the argument of `op` at fault; empty when it is the module
  std::vector<TensorFacts> tensors;  ///< the tensors at fault, the first one foremost
  std::string torch_text =
      {};  ///< PyTorch's own text of this error; kept as a substring of the report
  std::string detail =
      {};  ///< more lines, each ended by a newline: what was found, nearest names, ...
};

/// Who writes reports; the report folder installs the one that renders.
struct Reporter {
  /// Returns when the call may go on, as LibTorch alone would: the violation was suppressed, or the
  /// options ask for a report and no more. Otherwise throws MetaTensorError or ends the process.
  void (*report)(const Violation& violation);
  /// The same for what cannot go on: never returns.
  void (*raise)(const Violation& violation);
  /// What would have been a violation, but for `what` was done: "loaded 'weight' from ...".
  void (*healed)(const Violation& violation, const std::string& what);
};
/// `reporter` must live as long as the process.
void set_reporter(const Reporter& reporter);

/// A violation found in a call of LibTorch, which can go on without MetaSan.
void report(const Violation& violation);

/// A violation found by a function of MetaSan that cannot do what it was asked for.
[[noreturn]] void raise(const Violation& violation);

/// A violation that did not happen, as the data were loaded in time.
void report_healed(const Violation& violation, const std::string& what);

}  // namespace metasan::guard
