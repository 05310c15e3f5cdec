#pragma once

#include <metasan/annotations.h>
#include <metasan/export.h>
#include <metasan/module_ref.h>

#include <c10/core/Device.h>

namespace metasan {

/// Gives every tensor of a module that has no data the values that its construction would have
/// given it without the empty-weights scope, in place: what the scope recorded (factories,
/// initializers, the arithmetic of rotary tables and masks) is run now.
///
///     auto model = metasan::init_empty_weights([] { return torch::nn::Linear(512, 512); });
///     torch::manual_seed(0);
///     metasan::materialize(model);  // as torch::manual_seed(0); torch::nn::Linear(512, 512)
///
/// With the default generator in the state it would have had before the construction, values and
/// the state it ends in are the same bit for bit. A generator that was passed to an initializer is
/// drawn from now. Tensors that got their data before (by a load) keep them, and what was drawn for
/// them is not drawn again. Every parameter and buffer object stays the same object; ties and views
/// stay.
///
/// The memory in use meanwhile is at most about that of the construction: the module, and its
/// largest tensor. The work is done on the CPU, tensor by tensor, and what it made moved to
/// `device`, as is what has data elsewhere; a tensor whose factory was asked for another device
/// than the CPU is made there, and stays there.
///
/// Throws c10::Error, which names the tensor and the operator, before the module is changed, when
/// `device` holds no data (meta) or is not there, when a tensor was not made under a scope, and
/// when an operator of its history fails. Not thread safe for one module.
METASAN_API void materialize(METASAN_MATERIALIZES ModuleRef module,
                             c10::Device device = c10::Device(c10::kCPU));

}  // namespace metasan
