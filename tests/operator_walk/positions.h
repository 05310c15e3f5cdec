#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace metasan::operator_walk {

/// Where tensors without data stand in a call.
struct Position {
  std::optional<std::size_t> argument = {};  ///< none: in all arguments
  std::optional<std::size_t> element = {};   ///< of a list; none: the tensor, or the whole list

  auto operator<=>(const Position&) const = default;
};

/// "self", "tensors[1]", "tensors[*]", "*".
std::string name_of(const Position& position, const c10::FunctionSchema& schema,
                    const torch::jit::Stack& arguments);

/// The positions of a call: each tensor, each element of a list of tensors, whole lists, and all
/// together. Each once: a whole list of one element is that element.
std::vector<Position> positions_of(const torch::jit::Stack& arguments);

/// Every tensor of a stack, in order, undefined ones included: two stacks of one schema have the
/// same places.
std::vector<at::Tensor> tensors_of(const torch::jit::Stack& stack);

/// Replaces the tensors at a position, as far as `replace` does not leave them.
void replace_at(torch::jit::Stack& arguments, const Position& position,
                const std::function<at::Tensor(const at::Tensor&)>& replace);

}  // namespace metasan::operator_walk
