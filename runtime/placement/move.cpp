#include "runtime/placement/move.h"

#include "runtime/guard/keys.h"
#include "runtime/guard/materialize.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

#include <metasan/state.h>

namespace metasan::placement {

void move_to(const std::vector<load::Slot>& slots, c10::Device device) {
  std::vector<bool> moves(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    moves[i] =
        state_of(slots[i].tensor) != State::Declared && !load::is_on(slots[i].tensor, device);
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

}  // namespace metasan::placement
