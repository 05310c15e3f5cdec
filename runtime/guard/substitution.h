#pragma once

#include "runtime/guard/call.h"

#include <vector>

namespace metasan::guard {

/// Tensors on a storage that was materialized while they were out of reach take part in a call with
/// their data. The results of in-place operators are the caller's own tensors again.
class Substitution {
 public:
  Substitution(const c10::OperatorHandle& op, torch::jit::Stack& stack);

  void restore(Call& call) const;

 private:
  struct Entry {
    at::Tensor original;
    at::Tensor real;
  };
  std::vector<Entry> replaced_;
};

}  // namespace metasan::guard
