#pragma once

#include <metasan/export.h>
#include <metasan/module_ref.h>

#include <c10/core/Device.h>

namespace metasan {

/// Gives every tensor of a module that has no data memory on `device`, in place: Python's
/// `Module.to_empty`. Nothing is written to it: load the weights, or initialize them, before they
/// are read (`uninitialized-read`).
///
///     auto model = metasan::init_empty_weights([] { return torch::nn::Linear(4096, 16384); });
///     metasan::to_empty(model, device);
///     metasan::load_checkpoint_in_model(model, "model.safetensors");
///
/// Unlike Python's, it leaves the values of tensors that have data alone: they are moved to
/// `device` when they are elsewhere. Every parameter and buffer object stays the same object, so
/// aliases and optimizers made earlier see the memory; sizes, strides, dtype and requires_grad
/// stay, and tensors that share storage go on sharing it.
///
/// Throws c10::Error, before the module is changed, when `device` holds no data (meta) or is not
/// there, when it has not enough memory, and when a tensor without data is not strided. Not thread
/// safe for one module.
METASAN_API void to_empty(ModuleRef module, c10::Device device);

}  // namespace metasan
