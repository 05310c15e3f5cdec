#pragma once

#include "runtime/guard/access.h"
#include "runtime/guard/raw_access.h"
#include "runtime/guard/uninitialized.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <string_view>
#include <vector>

namespace metasan::guard {

/// The uninitialized arguments of one call: what it reads of them must have been written, and what
/// it writes is noted.
class UninitializedCheck {
 public:
  /// Reports reads of what was never written. `stack` holds the arguments.
  UninitializedCheck(const c10::OperatorHandle& op, torch::jit::Stack& stack);

  /// Lets the operator itself take raw pointers.
  void lift(RawAccessLift& lift) const;

  /// `stack` holds the results: views of uninitialized memory and copies of it are tracked too.
  void note_results(torch::jit::Stack& stack);

 private:
  struct Argument {
    at::Tensor tensor;
    c10::Storage storage;  ///< of the tensor, before the call
    UninitializedRecordPtr record;
    Access access;
    bool written;             ///< is_written()
    at::Tensor written_part;  ///< a mask, for Access::WritePart
  };

  void check(const Argument& argument, std::string_view name);
  at::Tensor mask_of_written(const torch::jit::Stack& stack, std::size_t index,
                             const at::Tensor& tensor) const;
  void note_result(const at::Tensor& tensor) const;
  static void note_written(const Argument& argument);

  const c10::OperatorHandle& op_;
  std::vector<Argument> arguments_;
  RecordPtr copied_;  ///< the record of memory whose copy is the result
};

}  // namespace metasan::guard
