#include <metasan/dispatch.h>
#include <metasan/load.h>
#include <metasan/state.h>

#include "runtime/guard/naming.h"
#include "runtime/guard/violation.h"
#include "runtime/load/load_checkpoint.h"
#include "runtime/load/slots.h"
#include "runtime/placement/move.h"
#include "runtime/placement/one_device.h"

#include <fmt/format.h>

namespace metasan {
namespace {

using load::Slot;

void refuse_declared(const std::vector<Slot>& slots) {
  guard::Violation violation{.rule = Rule::DispatchWithoutWeights,
                             .op = "metasan::dispatch_model",
                             .tensors = {},
                             .torch_text = "Cannot copy out of meta tensor; no data!"};
  for (const Slot& slot : slots) {
    if (state_of(slot.tensor) == State::Declared) {
      violation.tensors.push_back(guard::facts_of(slot.tensor));
    }
  }
  if (!violation.tensors.empty()) {
    violation.detail =
        fmt::format("{} of the {} tensors of the module have no data; the module is unchanged\n",
                    violation.tensors.size(), slots.size());
    guard::raise(violation);
  }
}

}  // namespace

void dispatch_model(ModuleRef module, const DeviceMap& device_map) {
  guard::name_tensors(*module);
  const std::vector<Slot> slots = load::collect_slots(*module);
  refuse_declared(slots);
  placement::move_to(slots, placement::the_one_device(device_map, *module));
}

LoadReport load_checkpoint_and_dispatch(ModuleRef module, const std::filesystem::path& checkpoint,
                                        const DeviceMap& device_map, const LoadOptions& options) {
  guard::name_tensors(*module);
  const c10::Device device = placement::the_one_device(device_map, *module);
  LoadReport report = load::load_checkpoint(*module, checkpoint, options, device,
                                            "metasan::load_checkpoint_and_dispatch");
  // What the checkpoint was allowed to lack; tensors without data stay declared.
  placement::move_to(load::collect_slots(*module), device);
  return report;
}

}  // namespace metasan
