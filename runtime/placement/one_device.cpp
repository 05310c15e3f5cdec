#include "runtime/placement/one_device.h"

#include "runtime/guard/naming.h"
#include "runtime/options/names.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <set>

namespace metasan::placement {
namespace {

void check_keys(const DeviceMap& map, const torch::nn::Module& module) {
  std::set<std::string, std::less<>> names = {""};
  for (const auto& item : module.named_modules("", /*include_self=*/false)) {
    names.insert(item.key());
  }
  for (const auto& [name, tensor] : guard::named_tensors(module)) {
    names.insert(name);
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  for (const auto& [key, device] : map.entries()) {
    if (!names.contains(key)) {
      const auto nearest = nearest_name(key, candidates);
      TORCH_CHECK(false, "MetaSan: the device map sends ", quote(key), " to ", device.str(),
                  ", but the module has no such part",
                  nearest ? "; did you mean " + quote(*nearest) + "?" : std::string());
    }
  }
}

}  // namespace

c10::Device the_one_device(const DeviceMap& map, const torch::nn::Module& module) {
  TORCH_CHECK(!map.entries().empty(),
              "MetaSan: the device map is empty; give a device, or {{\"\", device}}");
  check_keys(map, module);
  const c10::Device device = map.entries().begin()->second;
  for (const auto& [key, other] : map.entries()) {
    TORCH_CHECK(
        other == device, "MetaSan: the device map names several devices, ", device.str(), " and ",
        other.str(),
        "; this version dispatches a module to one device, name the same one in all entries");
  }
  for (const auto& [name, tensor] : guard::named_tensors(module)) {
    map.device_of(name);
  }
  check_available(device, "the device map names");
  return device;
}

void check_available(c10::Device device, std::string_view named_by) {
  TORCH_CHECK(!device.is_meta(), "MetaSan: ", named_by,
              " 'meta', which holds no data; name a real device");
  const auto* guard = c10::impl::hasDeviceGuardImpl(device.type())
                          ? c10::impl::getDeviceGuardImpl(device.type())
                          : nullptr;
  const c10::DeviceIndex count = guard == nullptr ? c10::DeviceIndex{0} : guard->deviceCount();
  TORCH_CHECK(count > 0, "MetaSan: ", named_by, " '", device.str(),
              "', but this LibTorch or this machine has no device of that kind; name another one, "
              "such as 'cpu'");
  TORCH_CHECK(device.index() < count, "MetaSan: ", named_by, " '", device.str(),
              "', but there are only ", static_cast<int>(count),
              " devices of that kind, counted from 0");
}

}  // namespace metasan::placement
