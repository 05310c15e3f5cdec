#include "runtime/guard/heal.h"

#include <metasan/options.h>

#include <algorithm>

namespace metasan::guard {

bool heal(const Violation& violation, const std::vector<RecordPtr>& records,
          std::optional<c10::Device> device) {
  if (options().action != Action::Heal) {
    return false;
  }
  std::string loaded;
  std::string path;
  for (const auto& record : records) {
    const auto binding = record->binding();
    // What an operator computed from a tensor without data is not in the checkpoint.
    if (!binding || !record->derived_by().empty()) {
      continue;
    }
    if (const auto name = record->name(); binding->load(name, device)) {
      loaded += (loaded.empty() ? "'" : ", '") + name + "'";
      path = binding->path();
    }
  }
  if (loaded.empty()) {
    return false;
  }
  report_healed(violation, "loaded " + loaded + " from " + path +
                               (device ? ", onto " + device->str() : std::string()));
  return true;
}

std::optional<c10::Device> device_of(const Call& call) {
  const auto values = call.values();
  const auto wanted = std::find_if(values.begin(), values.end(), [](const c10::IValue& value) {
    return value.isDevice() && !value.toDevice().is_meta();
  });
  if (wanted != values.end()) {
    return wanted->toDevice();
  }
  return call.real().empty() ? std::nullopt : std::optional(call.real().front().tensor.device());
}

}  // namespace metasan::guard
