#include <metasan/materialize.h>

#include <metasan/state.h>

#include "runtime/guard/materialize.h"
#include "runtime/guard/naming.h"
#include "runtime/guard/record.h"
#include "runtime/guard/replay.h"
#include "runtime/load/slots.h"
#include "runtime/placement/move.h"
#include "runtime/placement/one_device.h"

#include <utility>
#include <vector>

namespace metasan {

void materialize(ModuleRef module, c10::Device device) {
  guard::name_tensors(*module);
  placement::check_available(device, "materialize: the device is");
  const std::vector<load::Slot> slots = load::collect_slots(*module);
  std::vector<at::Tensor> declared;
  for (const auto& slot : slots) {
    if (state_of(slot.tensor) == State::Declared) {
      TORCH_CHECK(guard::has_history(slot.tensor), "MetaSan: materialize: '", slot.names.front(),
                  "' has no data, and nothing tells its initial values, as it was not made under "
                  "an InitEmptyWeights scope; load it, or register another tensor");
      declared.push_back(slot.tensor);
    }
  }
  guard::Replay replay(declared, guard::Draws::AsConstructed);
  replay.run(device);

  // Everything that the commit needs is made first; the move allocates before it changes anything.
  std::vector<at::Tensor> data;
  std::vector<std::pair<guard::RecordPtr, at::Tensor>> storages;
  for (const auto& tensor : declared) {
    auto record = guard::declared_record_of(tensor);
    data.push_back(replay.data_of(tensor));
    storages.emplace_back(record, replay.storage_of(*record, tensor.dtype()));
  }
  placement::move_to(slots, device);
  for (std::size_t i = 0; i < declared.size(); ++i) {
    storages[i].first->add_event({"initialized: its construction was replayed", {}});
    guard::materialize(declared[i], data[i]);
  }
  for (const auto& [record, storage] : storages) {
    if (record->state() == State::Declared) {
      guard::materialize_views(*record, storage);
    }
  }
  replay.commit();
}

}  // namespace metasan
