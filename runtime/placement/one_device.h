#pragma once

#include <metasan/device_map.h>

#include <c10/core/Device.h>
#include <torch/nn/module.h>

#include <string_view>

namespace metasan::placement {

/// The device that a map gives to every tensor of a module. Throws c10::Error, before anything is
/// changed, when the map
///   - is empty, or names no module and no tensor under one of its keys (with the nearest name);
///   - covers some tensors only, or sends them to several devices;
///   - names a device that holds no data (meta), or that this LibTorch or machine does not have.
c10::Device the_one_device(const DeviceMap& map, const torch::nn::Module& module);

/// Throws c10::Error when `device` holds no data (meta), or this LibTorch or machine does not have
/// it. `named_by` begins the text: "the device map names".
void check_available(c10::Device device, std::string_view named_by);

}  // namespace metasan::placement
