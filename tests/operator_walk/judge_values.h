#pragma once

#include "tests/operator_walk/judge.h"

#include <optional>
#include <vector>

namespace metasan::operator_walk {

/// Judges a call that had tensors with memory in it, watched or not: every element that counts as
/// written is to be what real arguments give, and every other one untouched. `before` are the
/// contents of the arguments before the call.
Verdict judge_values(const Reference& reference, const std::vector<at::Tensor>& before,
                     const std::vector<at::Tensor>& arguments, const torch::jit::Stack& results);

/// What is wrong with the results that are no tensors.
std::optional<Verdict> judge_plain_values(const Reference& reference,
                                          const torch::jit::Stack& results);

}  // namespace metasan::operator_walk
