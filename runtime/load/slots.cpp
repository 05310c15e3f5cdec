#include "runtime/load/slots.h"

#include "runtime/guard/byte_runs.h"
#include "runtime/guard/naming.h"

#include <ATen/ops/as_strided.h>

#include <algorithm>
#include <unordered_map>

namespace metasan::load {
namespace {

/// One past the last element of the storage that the tensor reaches.
int64_t end_of(const at::Tensor& tensor) {
  return tensor.storage_offset() + guard::element_span(tensor);
}

}  // namespace

const void* storage_of(const at::Tensor& tensor) {
  return tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

bool is_on(const at::Tensor& tensor, c10::Device device) {
  return tensor.device().type() == device.type() &&
         (!device.has_index() || tensor.device() == device);
}

std::vector<Slot> collect_slots(const torch::nn::Module& module) {
  std::vector<Slot> slots;
  std::unordered_map<const c10::TensorImpl*, std::size_t> known;
  for (auto& [name, tensor] : guard::named_tensors(module)) {
    const auto [it, is_new] = known.emplace(tensor.unsafeGetTensorImpl(), slots.size());
    if (is_new) {
      slots.push_back({tensor, {}});
    }
    slots[it->second].names.push_back(name);
  }
  return slots;
}

bool covers(const at::Tensor& whole, const at::Tensor& part) {
  if (storage_of(whole) == nullptr || storage_of(whole) != storage_of(part) ||
      whole.scalar_type() != part.scalar_type() || whole.numel() == 0 || part.numel() == 0) {
    return false;
  }
  return whole.unsafeGetTensorImpl()->is_non_overlapping_and_dense() &&
         whole.storage_offset() <= part.storage_offset() && end_of(part) <= end_of(whole);
}

at::Tensor same_part(const at::Tensor& part, const at::Tensor& whole, const at::Tensor& new_whole) {
  return at::as_strided(
      new_whole, part.sizes(), part.strides(),
      new_whole.storage_offset() + part.storage_offset() - whole.storage_offset());
}

std::vector<std::optional<std::size_t>> find_owners(const std::vector<Slot>& slots,
                                                    const std::vector<bool>& chosen) {
  std::unordered_map<const void*, std::vector<std::size_t>> by_storage;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    by_storage[storage_of(slots[i].tensor)].push_back(i);
  }
  std::vector<std::optional<std::size_t>> owners(slots.size());
  for (auto& [storage, members] : by_storage) {
    std::ranges::stable_sort(members, std::ranges::greater(),
                             [&](std::size_t i) { return slots[i].tensor.numel(); });
    std::vector<std::size_t> roots;
    for (const std::size_t member : members) {
      const auto root = std::ranges::find_if(
          roots, [&](std::size_t i) { return covers(slots[i].tensor, slots[member].tensor); });
      if (root != roots.end()) {
        owners[member] = *root;
      } else if (chosen[member]) {
        owners[member] = member;
        roots.push_back(member);
      }
    }
    // A tie whose only name in the checkpoint belongs to a later member of the same size.
    for (const std::size_t member : members) {
      if (!owners[member]) {
        const auto root = std::ranges::find_if(
            roots, [&](std::size_t i) { return covers(slots[i].tensor, slots[member].tensor); });
        owners[member] = root != roots.end() ? std::optional(*root) : std::nullopt;
      }
    }
  }
  return owners;
}

}  // namespace metasan::load
