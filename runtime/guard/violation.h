#pragma once

#include <metasan/rules.h>

#include "runtime/guard/declaration.h"

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
};

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

/// Turns a violation into the exception that is thrown for it. The report folder installs the one
/// that renders.
using Reporter = void (*)(const Violation& violation);
void set_reporter(Reporter reporter);

/// Hands the violation to the reporter, which throws MetaTensorError.
[[noreturn]] void raise(const Violation& violation);

}  // namespace metasan::guard
