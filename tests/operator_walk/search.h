#pragma once

#include "tests/operator_walk/walk.h"

#include <ATen/core/stack.h>

#include <chrono>
#include <cstddef>
#include <set>
#include <vector>

namespace metasan::operator_walk {

/// How many argument lists are generated for one operator, at most.
inline constexpr int kAttempts = 600;
/// How many children may die of one operator, and how long one call may take.
inline constexpr int kDeaths = 6;
inline constexpr std::chrono::seconds kLimit{10};

/// The arguments of a call that hold tensors which can be without data.
std::set<std::size_t> tensor_arguments(const torch::jit::Stack& arguments);

/// Attempts whose arguments the operator accepts, each with a tensor argument that none before it
/// had. Where there is none, `walked` is told why.
std::vector<int> accepted_attempts(const c10::OperatorHandle& op, Walked& walked);

}  // namespace metasan::operator_walk
