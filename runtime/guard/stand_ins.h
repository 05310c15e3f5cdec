#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/stack.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace metasan::guard {

/// Tensors that take the places of others in one call.
class StandIns {
 public:
  struct Pair {
    at::Tensor original;
    at::Tensor stand_in;
  };

  void add(at::Tensor original, at::Tensor stand_in) {
    pairs_.push_back({std::move(original), std::move(stand_in)});
  }
  const std::vector<Pair>& pairs() const { return pairs_; }

  /// An in-place operator returns its argument: where a stand-in is among the values of the stack
  /// from `first` on, its original takes its place again.
  void give_back(torch::jit::Stack& stack, std::size_t first) const;

 private:
  std::vector<Pair> pairs_;
};

/// Gives `tensor` the sizes and strides of `other`.
void take_shape_of(const at::Tensor& tensor, const at::Tensor& other);
bool has_shape_of(const at::Tensor& tensor, const at::Tensor& other);

}  // namespace metasan::guard
