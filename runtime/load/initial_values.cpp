#include "runtime/load/initial_values.h"

#include "runtime/guard/replay.h"
#include "runtime/load/dtype_policy.h"
#include "runtime/load/slots.h"

namespace metasan::load {
std::vector<at::Tensor> initial_values(const Fit& fit, const LoadOptions& options,
                                       c10::Device device) {
  std::vector<bool> lacking(fit.slots.size());
  std::vector<at::Tensor> targets;
  for (std::size_t i = 0; i < fit.slots.size(); ++i) {
    if (!fit.owners[i] && guard::has_history(fit.slots[i].tensor)) {
      lacking[i] = true;
      targets.push_back(fit.slots[i].tensor);
    }
  }
  std::vector<at::Tensor> values(fit.slots.size());
  guard::Replay replay(targets, guard::Draws::OnlyNeeded);
  replay.run(device);
  // A cast makes a new storage: tensors that share one go on sharing it.
  const auto owners = find_owners(fit.slots, lacking);
  for (std::size_t i = 0; i < fit.slots.size(); ++i) {
    if (lacking[i] && owners[i] == i) {
      const auto& tensor = fit.slots[i].tensor;
      const auto dtype = dtype_after_load(tensor.scalar_type(), tensor.scalar_type(), options);
      values[i] = replay.data_of(tensor).to(dtype.value());
    }
  }
  for (std::size_t i = 0; i < fit.slots.size(); ++i) {
    if (lacking[i] && owners[i] != i) {
      values[i] = same_part(fit.slots[i].tensor, fit.slots[*owners[i]].tensor, values[*owners[i]]);
    }
  }
  return values;
}

}  // namespace metasan::load
