#include "runtime/load/stage.h"

#include "runtime/load/scalar_type.h"

#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/from_blob.h>

#include <cstdint>
#include <cstring>
#include <memory>

namespace metasan::load {
namespace {

using FilePtr = std::shared_ptr<checkpoint::MappedFile>;

/// The entry as it is stored; shares the mapping when its address allows.
Staged stored_tensor(const checkpoint::Checkpoint& checkpoint, const checkpoint::Entry& entry,
                     at::IntArrayRef sizes) {
  const c10::ScalarType type = scalar_type_of(entry.dtype);
  const std::span<std::byte> payload = checkpoint.payload(entry);
  const bool aligned =
      reinterpret_cast<std::uintptr_t>(payload.data()) % c10::elementSize(type) == 0;
  if (payload.empty() || !aligned) {
    at::Tensor copy = at::empty(sizes, type);
    if (!payload.empty()) {
      std::memcpy(copy.mutable_data_ptr(), payload.data(), payload.size());
    }
    return {std::move(copy), false};
  }
  auto keep_mapped = std::make_unique<FilePtr>(checkpoint.files()[entry.file]);
  at::Tensor mapped =
      at::for_blob(payload.data(), sizes)
          .context(keep_mapped.release(), [](void* file) { delete static_cast<FilePtr*>(file); })
          .options(type)
          .make_tensor();
  return {std::move(mapped), true};
}

}  // namespace

Staged stage(const checkpoint::Checkpoint& checkpoint, const checkpoint::Entry& entry,
             const at::Tensor& like, c10::ScalarType dtype, c10::Device device) {
  Staged staged = stored_tensor(checkpoint, entry, like.sizes());
  at::Tensor& tensor = staged.tensor;
  if (tensor.scalar_type() != dtype || tensor.device() != device) {
    tensor = tensor.to(device, dtype);
    staged.shares_mapping = false;
  }
  if (tensor.strides() == like.strides()) {
    return staged;
  }
  if (like.is_contiguous()) {  // the strides of dimensions of size 1 are all that differs
    tensor = at::as_strided(tensor, like.sizes(), like.strides(), tensor.storage_offset());
  } else {
    tensor = at::empty_strided(like.sizes(), like.strides(), tensor.options()).copy_(tensor);
    staged.shares_mapping = false;
  }
  return staged;
}

}  // namespace metasan::load
