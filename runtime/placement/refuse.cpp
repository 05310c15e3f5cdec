#include "runtime/placement/refuse.h"

#include <metasan/state.h>

#include "runtime/guard/violation.h"

#include <fmt/format.h>

namespace metasan::placement {
namespace {

void refuse(const std::vector<load::Slot>& slots, guard::Violation violation, State state,
            std::string_view what) {
  for (const auto& slot : slots) {
    if (state_of(slot.tensor) == state) {
      violation.tensors.push_back(guard::facts_of(slot.tensor));
    }
  }
  if (!violation.tensors.empty()) {
    violation.detail =
        fmt::format("{} of the {} tensors of the module {}; the module is unchanged\n",
                    violation.tensors.size(), slots.size(), what);
    guard::raise(violation);
  }
}

}  // namespace

void refuse_without_data(const std::vector<load::Slot>& slots, const std::string& function) {
  refuse(slots,
         {.rule = Rule::DispatchWithoutWeights,
          .op = function,
          .tensors = {},
          .torch_text = "Cannot copy out of meta tensor; no data!"},
         State::Declared, "have no data");
  refuse(slots, {.rule = Rule::UninitializedRead, .op = function, .tensors = {}},
         State::Uninitialized, "were not written since to_empty gave them memory");
}

}  // namespace metasan::placement
