#pragma once

#include <c10/core/Device.h>

namespace metasan::testing {

/// A second device, on any machine: LibTorch's PrivateUse1 over ordinary memory, of which the
/// device has one. Tensors can be made there, viewed, and copied there and back; every other
/// operator runs on copies on the CPU. An executable has the device when it links fake_device.cpp.
inline const c10::Device kFakeDevice{c10::DeviceType::PrivateUse1, 0};

}  // namespace metasan::testing
