#include <metasan/device_map.h>

#include <c10/util/Exception.h>

namespace metasan {

c10::Device DeviceMap::device_of(std::string_view name) const {
  // From the whole name to ever shorter prefixes of whole components, "" last.
  for (std::string prefix(name);;) {
    if (const auto it = entries_.find(prefix); it != entries_.end()) {
      return it->second;
    }
    TORCH_CHECK(!prefix.empty(), "MetaSan: the device map has no entry for '", std::string(name),
                "'; add one for its module, or one for \"\", which stands for all the rest");
    const std::size_t dot = prefix.rfind('.');
    prefix.resize(dot == std::string::npos ? 0 : dot);
  }
}

}  // namespace metasan
