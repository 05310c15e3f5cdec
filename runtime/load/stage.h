#pragma once

#include "runtime/checkpoint/checkpoint.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

namespace metasan::load {

/// A tensor with the data of a checkpoint entry, not yet in the module.
struct Staged {
  at::Tensor tensor;
  bool shares_mapping;  ///< no byte was copied; the tensor keeps the file mapped
};

/// Makes a tensor of dtype `dtype` on `device` with the data of `entry` and the sizes and strides
/// of `like`.
///
/// On the CPU, without a cast, from an address that is aligned for the dtype, the tensor is the
/// mapping itself and no page of it is touched; otherwise the data are copied once. A gap-free or
/// plain strided layout is needed in `like`.
Staged stage(const checkpoint::Checkpoint& checkpoint, const checkpoint::Entry& entry,
             const at::Tensor& like, c10::ScalarType dtype, c10::Device device);

}  // namespace metasan::load
