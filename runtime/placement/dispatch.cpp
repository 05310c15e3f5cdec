#include <metasan/dispatch.h>
#include <metasan/load.h>
#include <metasan/state.h>

#include "runtime/guard/keys.h"
#include "runtime/guard/materialize.h"
#include "runtime/guard/naming.h"
#include "runtime/guard/violation.h"
#include "runtime/load/load_checkpoint.h"
#include "runtime/load/slots.h"
#include "runtime/placement/one_device.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

namespace metasan {
namespace {

using load::Slot;

bool is_on(const at::Tensor& tensor, c10::Device device) {
  return tensor.device().type() == device.type() &&
         (!device.has_index() || tensor.device() == device);
}

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

/// Moves the tensors that have data and are elsewhere, in place; tensors that share storage go on
/// sharing it.
void move_to(const std::vector<Slot>& slots, c10::Device device) {
  std::vector<bool> moves(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    moves[i] = state_of(slots[i].tensor) != State::Declared && !is_on(slots[i].tensor, device);
  }
  const auto owners = load::find_owners(slots, moves);
  const c10::InferenceMode no_inference(false);
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> moved(slots.size());
  {
    const guard::ExcludeGuardKeys factories_are_real;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (moves[i] && owners[i] == i) {
        moved[i] = slots[i].tensor.detach().to(device);
      }
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (moves[i] && owners[i] != i) {
        moved[i] = load::same_part(slots[i].tensor, slots[*owners[i]].tensor, moved[*owners[i]]);
      }
    }
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (moves[i]) {
      guard::materialize(slots[i].tensor, moved[i]);
    }
  }
}

}  // namespace

void dispatch_model(ModuleRef module, const DeviceMap& device_map) {
  guard::name_tensors(*module);
  const std::vector<Slot> slots = load::collect_slots(*module);
  refuse_declared(slots);
  move_to(slots, placement::the_one_device(device_map, *module));
}

LoadReport load_checkpoint_and_dispatch(ModuleRef module, const std::filesystem::path& checkpoint,
                                        const DeviceMap& device_map, const LoadOptions& options) {
  guard::name_tensors(*module);
  const c10::Device device = placement::the_one_device(device_map, *module);
  LoadReport report = load::load_checkpoint(*module, checkpoint, options, device,
                                            "metasan::load_checkpoint_and_dispatch");
  // What the checkpoint was allowed to lack; tensors without data stay declared.
  move_to(load::collect_slots(*module), device);
  return report;
}

}  // namespace metasan
