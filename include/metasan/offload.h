#pragma once

#include <metasan/export.h>
#include <metasan/module_ref.h>

#include <c10/core/Device.h>

namespace metasan {

/// Keeps the values of a module in the memory of the host, and computes on `execution_device`, in
/// place: accelerate's `cpu_offload`. Each operator that needs a parameter or buffer gets a copy of
/// it there, and what it writes is written back; gradients are made on `execution_device`. With the
/// CPU as execution device nothing is copied.
///
///     metasan::load_checkpoint_in_model(model, "model.safetensors");
///     metasan::cpu_offload(model, device);
///     auto output = model->forward(input.to(device));
///
/// Every parameter and buffer stays the same object; ties stay. They report `execution_device` as
/// their device, have no memory there (`data_ptr()` throws), and moving the module is
/// `move-after-dispatch`. To end it, load the module again, or assign to each tensor with
/// `set_data`. Views and detached copies made before are cut off: using them throws.
///
/// A module with tensors that have no data, or were not written yet, is refused with
/// MetaTensorError
/// (`dispatch-without-weights`, `uninitialized-read`), unchanged. Throws c10::Error, before the
/// module is changed, when `execution_device` is not there or a tensor is not strided. Not thread
/// safe for one module.
METASAN_API void cpu_offload(ModuleRef module, c10::Device execution_device);

}  // namespace metasan
