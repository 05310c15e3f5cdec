#include "runtime/guard/offloaded.h"

#include "runtime/guard/keys.h"
#include "runtime/guard/raw_access.h"
#include "runtime/guard/stand_ins.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>

namespace metasan::guard {
namespace {

/// What an operator has left to the next one to do: views have keys for it.
constexpr c10::DispatchKeySet kLazyKeys({c10::DispatchKey::Conjugate, c10::DispatchKey::Negative});

c10::DispatchKeySet plain_keys(c10::Device device, caffe2::TypeMeta dtype) {
  return at::empty({0}, at::TensorOptions().device(device).dtype(dtype)).key_set();
}

/// Takes the memory out of a storage, to the host.
c10::Storage take_values(c10::StorageImpl& storage, c10::Device execution_device) {
  const auto device = storage.device();
  const auto bytes = storage.nbytes();
  auto memory = storage.set_data_ptr({nullptr, execution_device});
  c10::Storage taken(c10::Storage::use_byte_size_t{}, bytes, std::move(memory),
                     c10::GetAllocator(device.type()), /*resizable=*/true);
  if (device.is_cpu()) {
    return taken;
  }
  const auto on_device = at::empty({0}, at::TensorOptions().device(device).dtype(at::kByte))
                             .set_(taken, 0, {static_cast<int64_t>(bytes)});
  return on_device.cpu().storage();
}

}  // namespace

OffloadedRecord::OffloadedRecord(const Record* previous, c10::Storage values,
                                 c10::Device execution_device)
    : Record(previous), values_(std::move(values)), execution_device_(execution_device) {}

at::Tensor OffloadedRecord::kept(const at::Tensor& guarded) const {
  const auto keys = plain_keys(values_.device(), guarded.dtype()) | (guarded.key_set() & kLazyKeys);
  return tensor_on(values_, keys, guarded.dtype(), guarded, guarded.storage_offset());
}

at::Tensor OffloadedRecord::fetch(const at::Tensor& guarded) const {
  const auto values = kept(guarded);
  if (values.device() == execution_device_) {
    return values;
  }
  // Strides are kept: kernels were chosen for them.
  auto fetched = at::empty_strided(guarded.sizes(), guarded.strides(),
                                   values.options().device(execution_device_));
  return fetched.copy_(values);
}

void OffloadedRecord::write_back(const at::Tensor& guarded, const at::Tensor& fetched) const {
  auto kept = this->kept(guarded);
  const bool elsewhere = kept.device() != fetched.device();
  if (!has_shape_of(fetched, guarded)) {
    if (elsewhere) {
      kept.resize_(fetched.sizes());
    } else {
      kept = fetched;
    }
    take_shape_of(guarded, kept);
    guarded.storage().unsafeGetStorageImpl()->set_nbytes(values_.nbytes());
  }
  if (elsewhere) {
    kept.copy_(fetched);
  }
}

OffloadedRecordPtr offloaded_record_of(const at::Tensor& tensor) {
  return record_as<OffloadedRecord>(record_of(tensor));
}

void offload(const at::Tensor& tensor, c10::Device execution_device, const RecordPtr& previous) {
  const c10::InferenceMode no_inference(false);
  const at::NoGradGuard no_grad;
  at::Tensor guarded;
  auto& storage = *tensor.storage().unsafeGetStorageImpl();
  auto record = record_as<OffloadedRecord>(record_on(storage));
  {
    const ExcludeGuardKeys factories_are_real;
    if (!record) {
      record = c10::make_intrusive<OffloadedRecord>(
          previous.get(), take_values(storage, execution_device), execution_device);
      storage.set_data_ptr_noswap(data_ptr_with(record, nullptr, execution_device));
      forbid_raw_access(storage, *record, tensor);
    }
    guarded =
        tensor_on(tensor.storage(), plain_keys(execution_device, tensor.dtype()).add(kTrackedKey),
                  tensor.dtype(), tensor, tensor.storage_offset());
  }
  // An accumulator for the old device goes with it, which shallow_copy_from alone would keep.
  tensor.set_data(guarded);
  record->add_view(tensor);
}

}  // namespace metasan::guard
