#include "runtime/guard/force.h"

#include "runtime/guard/replay.h"
#include "runtime/guard/stack_args.h"

#include <algorithm>
#include <optional>

namespace metasan::guard {
namespace {

/// The values of the call's declared tensors; nothing when they cannot be known yet.
std::optional<Replay> values_of(const Call& call) {
  std::vector<at::Tensor> tensors;
  for (const auto& argument : call.declared()) {
    if (argument.written || !has_history(argument.tensor)) {
      return std::nullopt;
    }
    tensors.push_back(argument.tensor);
  }
  std::optional<Replay> replay(std::in_place, tensors, Draws::OnlyNeeded);
  if (replay->is_random()) {
    return std::nullopt;
  }
  try {
    replay->run();
  } catch (const c10::Error&) {
    return std::nullopt;  // the caller has a report of the call itself
  }
  return replay;
}

}  // namespace

bool run_on_forced_values(Call& call) {
  const auto values = values_of(call);
  if (!values) {
    return false;
  }
  for (std::size_t i = 0; i < call.arguments(); ++i) {
    for_each_tensor(call.argument(i), [&](at::Tensor& tensor) {
      if (!declared_record_of(tensor)) {
        return false;
      }
      tensor = values->data_of(tensor);
      return true;
    });
  }
  call.run();
  return true;
}

}  // namespace metasan::guard
