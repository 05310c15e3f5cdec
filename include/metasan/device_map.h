#pragma once

#include <metasan/export.h>

#include <c10/core/Device.h>

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace metasan {

/// Which device each part of a module goes to: dotted module names to devices, "" for all the rest.
/// As in accelerate, the longest name that is a prefix (of whole components) of a tensor's name
/// decides.
///
///     metasan::DeviceMap everything = torch::kCPU;
///     metasan::DeviceMap by_name = {{"", torch::kCPU}};
///
/// This version dispatches to one device: a map that names several is an error that says so.
class METASAN_API DeviceMap {
 public:
  DeviceMap(c10::Device device) : entries_{{"", device}} {}  // NOLINT(google-explicit-constructor)
  DeviceMap(c10::DeviceType device)
      : DeviceMap(c10::Device(device)) {}  // NOLINT(google-explicit-constructor)
  DeviceMap(std::initializer_list<std::pair<const std::string, c10::Device>> entries)
      : entries_(entries) {}

  const std::map<std::string, c10::Device>& entries() const { return entries_; }

  /// The device of a tensor by its fully qualified name. Throws c10::Error when no entry covers it.
  c10::Device device_of(std::string_view name) const;

 private:
  std::map<std::string, c10::Device> entries_;
};

}  // namespace metasan
