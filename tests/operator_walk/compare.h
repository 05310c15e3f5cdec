#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <string>
#include <vector>

namespace metasan::operator_walk {

/// The same layout, shape and dtype; or both undefined.
bool alike(const at::Tensor& a, const at::Tensor& b);

/// Alike, both meta or neither, with the same bytes where there are some.
bool same(const at::Tensor& a, const at::Tensor& b);
bool same(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b);

/// The results that are not tensors, as text.
std::string plain_values(const torch::jit::Stack& stack);

/// "[2, 4] float meta".
std::string describe(const at::Tensor& tensor);
std::string one_line(std::string text);

}  // namespace metasan::operator_walk
