#include <metasan/dispatch.h>
#include <metasan/load.h>
#include <metasan/state.h>

#include "runtime/guard/naming.h"
#include "runtime/guard/remembered.h"
#include "runtime/load/load_checkpoint.h"
#include "runtime/load/slots.h"
#include "runtime/placement/move.h"
#include "runtime/placement/one_device.h"
#include "runtime/placement/refuse.h"

namespace metasan {
namespace {

using load::Slot;

void mark_placed(const std::vector<Slot>& slots) {
  for (const Slot& slot : slots) {
    if (state_of(slot.tensor) == State::Materialized) {
      guard::set_placed(slot.tensor, slot.names.front());
    }
  }
}

}  // namespace

void dispatch_model(ModuleRef module, const DeviceMap& device_map) {
  guard::name_tensors(*module);
  const std::vector<Slot> slots = load::collect_slots(*module);
  placement::refuse_without_data(slots, "metasan::dispatch_model");
  placement::move_to(slots, placement::the_one_device(device_map, *module));
  mark_placed(slots);
}

LoadReport load_checkpoint_and_dispatch(ModuleRef module, const std::filesystem::path& checkpoint,
                                        const DeviceMap& device_map, const LoadOptions& options) {
  guard::name_tensors(*module);
  const c10::Device device = placement::the_one_device(device_map, *module);
  LoadReport report = load::load_checkpoint(*module, checkpoint, options, device,
                                            "metasan::load_checkpoint_and_dispatch");
  // What the checkpoint was allowed to lack; tensors without data stay declared.
  const auto slots = load::collect_slots(*module);
  placement::move_to(slots, device);
  mark_placed(slots);
  return report;
}

}  // namespace metasan
