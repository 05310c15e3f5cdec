#include <metasan/to_empty.h>

#include <metasan/options.h>
#include <metasan/state.h>

#include "runtime/guard/keys.h"
#include "runtime/guard/materialize.h"
#include "runtime/guard/naming.h"
#include "runtime/guard/uninitialized.h"
#include "runtime/load/slots.h"
#include "runtime/placement/move.h"
#include "runtime/placement/one_device.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>

#include <cstdint>
#include <limits>
#include <unordered_map>

namespace metasan {
namespace {

using load::Slot;

/// Memory for the storages of declared tensors. Tensors with one storage before have one storage
/// after, whatever parts of it they are.
class Allocation {
 public:
  explicit Allocation(c10::Device device) : device_(device) {}

  /// A tensor with the geometry of `declared` on its share of the memory.
  at::Tensor counterpart(const at::Tensor& declared) {
    const auto dtype =
        at::TensorOptions().device(device_).dtype(declared.dtype()).requires_grad(false);
    auto memory = at::empty({0}, dtype)
                      .set_(memory_of(declared.storage()), declared.storage_offset(),
                            declared.sizes(), declared.strides());
    if (options().poison == Poison::Nan && has_nan(declared.scalar_type())) {
      memory.fill_(std::numeric_limits<double>::quiet_NaN());
    }
    return memory;
  }

 private:
  static constexpr std::uint8_t kPoisonByte = 0xbe;

  static bool has_nan(c10::ScalarType dtype) {
    return c10::isFloatingType(dtype) || c10::isComplexType(dtype);
  }

  c10::Storage memory_of(const c10::Storage& declared) {
    auto& memory = memory_[declared.unsafeGetStorageImpl()];
    if (!memory.defined()) {
      memory = at::empty({static_cast<int64_t>(declared.nbytes())},
                         at::TensorOptions().device(device_).dtype(at::kByte));
      if (options().poison != Poison::None) {
        memory.fill_(kPoisonByte);
      }
    }
    return memory.storage();
  }

  const c10::Device device_;
  std::unordered_map<const c10::StorageImpl*, at::Tensor> memory_;
};

/// Nobody has written to `memory`; `tensor` and its views are watched until they are.
void give_memory(const at::Tensor& tensor, const at::Tensor& memory,
                 const std::vector<void*>& stack) {
  const auto record = guard::record_of(tensor);
  const auto views = record ? record->views() : std::vector<at::Tensor>();
  guard::materialize(tensor, memory);
  guard::track_uninitialized(tensor, record);
  for (const auto& view : views) {
    if (!view.is_same(tensor) && load::storage_of(view) == load::storage_of(tensor)) {
      guard::track_uninitialized(view, record);
    }
  }
  if (const auto tracked = guard::uninitialized_record_of(tensor)) {
    tracked->add_event(
        {.what = "given memory by metasan::to_empty on " + memory.device().str(), .stack = stack});
  }
}

}  // namespace

void to_empty(ModuleRef module, c10::Device device) {
  guard::name_tensors(*module);
  placement::check_available(device, "to_empty: the device is");
  const std::vector<Slot> slots = load::collect_slots(*module);
  const c10::InferenceMode no_inference(false);
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> allocated(slots.size());
  {
    const guard::ExcludeGuardKeys factories_are_real;
    Allocation allocation(device);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (const at::Tensor& tensor = slots[i].tensor; state_of(tensor) == State::Declared) {
        TORCH_CHECK(tensor.layout() == at::kStrided && tensor.has_storage(), "MetaSan: to_empty: '",
                    slots[i].names.front(), "' has the layout ", tensor.layout(),
                    ", but memory is given to strided tensors only");
        allocated[i] = allocation.counterpart(tensor);
      }
    }
  }
  // Both steps allocate before they change anything; the second has done so above.
  placement::move_to(slots, device);
  const auto stack = guard::capture_stack();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (allocated[i].defined()) {
      give_memory(slots[i].tensor, allocated[i], stack);
    }
  }
}

}  // namespace metasan
