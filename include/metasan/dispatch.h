#pragma once

#include <metasan/device_map.h>
#include <metasan/export.h>
#include <metasan/module_ref.h>

namespace metasan {

/// Places a module whose weights are loaded on the devices of `device_map`, in place.
///
/// A module that still has empty tensors is refused with MetaTensorError
/// (`dispatch-without-weights`), unchanged: use load_checkpoint_and_dispatch, which reads the
/// weights too. Not thread safe for one module.
METASAN_API void dispatch_model(ModuleRef module, const DeviceMap& device_map);

}  // namespace metasan
