#include <metasan/offload.h>
#include <metasan/state.h>

#include "runtime/guard/naming.h"
#include "runtime/guard/offloaded.h"
#include "runtime/guard/raw_access.h"
#include "runtime/guard/remembered.h"
#include "runtime/load/slots.h"
#include "runtime/placement/one_device.h"
#include "runtime/placement/refuse.h"

namespace metasan {
namespace {

constexpr const char* kFunction = "metasan::cpu_offload";

void check_layouts(const std::vector<load::Slot>& slots) {
  for (const auto& [tensor, names] : slots) {
    TORCH_CHECK(tensor.layout() == at::kStrided && tensor.has_storage(), "MetaSan: cpu_offload: '",
                names.front(), "' has the layout ", tensor.layout(),
                ", but only strided tensors can be offloaded");
  }
}

}  // namespace

void cpu_offload(ModuleRef module, c10::Device execution_device) {
  guard::name_tensors(*module);
  placement::check_available(execution_device, "cpu_offload: the execution device is");
  const auto slots = load::collect_slots(*module);
  placement::refuse_without_data(slots, kFunction);
  check_layouts(slots);
  const guard::Event event{.what = "offloaded to the host, executed on " + execution_device.str() +
                                   ", by metasan::cpu_offload",
                           .stack = guard::capture_stack()};
  for (const auto& [tensor, names] : slots) {
    if (guard::offloaded_record_of(tensor)) {
      continue;
    }
    auto previous = guard::recall(tensor);
    guard::clear_placed(tensor);
    guard::offload(tensor, execution_device, previous);
    const auto record = guard::offloaded_record_of(tensor);
    record->set_name(names.front());
    guard::forbid_raw_access(*tensor.storage().unsafeGetStorageImpl(), *record, tensor);
    record->add_event(event);
  }
}

}  // namespace metasan
