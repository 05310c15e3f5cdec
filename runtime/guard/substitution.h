#pragma once

#include "runtime/guard/stand_ins.h"

#include <ATen/core/dispatch/Dispatcher.h>

namespace metasan::guard {

/// Tensors on a storage that was materialized while they were out of reach take part in a call with
/// their data.
class Substitution {
 public:
  Substitution(const c10::OperatorHandle& op, torch::jit::Stack& stack);

  /// Once the operator ran: the results of in-place operators are the caller's own tensors again,
  /// and what it did to shape or storage of a tensor is done to the caller's.
  void restore(torch::jit::Stack& stack) const;

 private:
  const std::size_t first_;
  StandIns stand_ins_;
};

}  // namespace metasan::guard
