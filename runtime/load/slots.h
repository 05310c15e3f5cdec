#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <torch/nn/module.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace metasan::load {

/// One tensor object of a module, under all of its names. Two names with one TensorImpl are one
/// slot.
struct Slot {
  at::Tensor tensor;
  std::vector<std::string> names;  ///< in registration order
};

/// The identity of a tensor's storage; null when it has none.
const void* storage_of(const at::Tensor& tensor);

/// A device without an index is any of its kind.
bool is_on(const at::Tensor& tensor, c10::Device device);

/// The parameters and buffers of a module, each object once, in registration order.
std::vector<Slot> collect_slots(const torch::nn::Module& module);

/// True when `part` lies inside `whole` on the same storage, with the same dtype, and `whole` has
/// no gaps and no element twice: then the data of `whole` is all that `part` needs. Tied tensors
/// that are different objects
/// (`head = embedding.detach()`) cover each other.
bool covers(const at::Tensor& whole, const at::Tensor& part);

/// The tensor that is to `new_whole` what `part` is to `whole`, which covers it.
at::Tensor same_part(const at::Tensor& part, const at::Tensor& whole, const at::Tensor& new_whole);

/// Assigns to each chosen slot the slot that holds its data: itself, or another chosen one that
/// covers it, the largest and then the earliest. Slots that are not chosen get the chosen one that
/// covers them, or nothing.
std::vector<std::optional<std::size_t>> find_owners(const std::vector<Slot>& slots,
                                                    const std::vector<bool>& chosen);

}  // namespace metasan::load
