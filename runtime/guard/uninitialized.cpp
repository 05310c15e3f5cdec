#include "runtime/guard/uninitialized.h"

#include "runtime/guard/byte_runs.h"
#include "runtime/guard/keys.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

namespace metasan::guard {
namespace {

UninitializedRecordPtr uninitialized_record_on(c10::StorageImpl& storage) {
  return record_as<UninitializedRecord>(record_on(storage));
}

/// Called by LibTorch when a raw pointer for writing is asked for.
void on_raw_write(c10::StorageImpl* storage) {
  if (const auto record = uninitialized_record_on(*storage)) {
    record->finish();
  }
}

/// Moves the memory of a storage into a record for it, made from `previous`.
template <typename Previous>
UninitializedRecordPtr watch(c10::StorageImpl& storage, const Previous& previous) {
  const auto device = storage.device();
  auto memory = storage.set_data_ptr({nullptr, device});
  auto* data = memory.get();
  auto record = c10::make_intrusive<UninitializedRecord>(
      previous, std::move(memory), static_cast<std::int64_t>(storage.nbytes()));
  storage.set_data_ptr_noswap(data_ptr_with(record, data, device));
  record->forbid_raw_access(storage);
  return record;
}

}  // namespace

UninitializedRecord::UninitializedRecord(const Record* previous, c10::DataPtr memory,
                                         std::int64_t bytes)
    : Record(previous), memory_(std::move(memory)), bytes_(bytes) {}

UninitializedRecord::UninitializedRecord(const UninitializedRecord& before, c10::DataPtr memory,
                                         std::int64_t bytes)
    : Record(&before), memory_(std::move(memory)), bytes_(bytes) {
  const std::lock_guard lock(before.mutex);
  written_ = before.written_;
  written_.cut(bytes);
}

State UninitializedRecord::state() const {
  return finished_ ? State::Materialized : State::Uninitialized;
}

void UninitializedRecord::allow_raw_access(c10::StorageImpl& storage) {
  storage.clear_materializer();
}

void UninitializedRecord::forbid_raw_access(c10::StorageImpl& storage) {
  if (record_on(storage).get() == this) {  // the tracking may have ended meanwhile
    storage.set_materializer(&on_raw_write);
  }
}

void UninitializedRecord::mark_written(const at::Tensor& tensor) {
  const std::lock_guard lock(mutex);
  for_each_run(tensor, [&](ByteRange run) {
    written_.add(run);
    return !written_.is_too_fragmented();
  });
  finish_if_complete();
}

void UninitializedRecord::mark_written_where(const at::Tensor& tensor, const at::Tensor& mask) {
  const auto flat = at::empty({0}, mask.options())
                        .set_(mask.storage(), 0, {static_cast<int64_t>(mask.storage().nbytes())})
                        .cpu();
  const auto* is_written = flat.const_data_ptr<bool>();
  const auto item = static_cast<std::int64_t>(tensor.element_size());
  const std::lock_guard lock(mutex);
  for (std::int64_t begin = 0, end = 0; begin < flat.numel(); begin = end + 1) {
    for (; begin < flat.numel() && !is_written[begin]; ++begin) {
    }
    for (end = begin; end < flat.numel() && is_written[end]; ++end) {
    }
    written_.add(
        {(tensor.storage_offset() + begin) * item, (tensor.storage_offset() + end) * item});
  }
  finish_if_complete();
}

void UninitializedRecord::finish_if_complete() {
  if (written_.size() == bytes_ || written_.is_too_fragmented()) {
    finished_ = true;
  }
}

std::optional<ByteRange> UninitializedRecord::first_gap(const at::Tensor& tensor) const {
  const std::lock_guard lock(mutex);
  std::optional<ByteRange> gap;
  for_each_run(tensor, [&](ByteRange run) {
    gap = written_.first_gap(run);
    return !gap;
  });
  return gap;
}

bool UninitializedRecord::is_untouched() const {
  const std::lock_guard lock(mutex);
  return written_.size() == 0;
}

c10::DataPtr UninitializedRecord::take_memory() {
  const std::lock_guard lock(mutex);
  return std::move(memory_);
}

UninitializedRecordPtr uninitialized_record_of(const at::Tensor& tensor) {
  return record_as<UninitializedRecord>(record_of(tensor));
}

at::Tensor mask_for(const at::Tensor& tensor) {
  const auto options = at::TensorOptions().device(tensor.device()).dtype(at::kBool);
  return at::zeros({element_span(tensor)}, options).as_strided(tensor.sizes(), tensor.strides());
}

void track_uninitialized(const at::Tensor& tensor, const RecordPtr& previous) {
  auto& storage = *tensor.storage().unsafeGetStorageImpl();
  if (storage.nbytes() == 0) {
    return;
  }
  auto record = uninitialized_record_on(storage);
  if (!record) {
    record = watch(storage, previous.get());
  }
  add_key(tensor, kTrackedKey);
  record->add_view(tensor);
}

UninitializedRecordPtr track_resized(const at::Tensor& tensor,
                                     const UninitializedRecordPtr& record) {
  auto& storage = *tensor.storage().unsafeGetStorageImpl();
  // When the tracking ends, the record is finished before the storage has its memory back.
  if (uninitialized_record_on(storage) == record || record->is_finished() ||
      storage.nbytes() == 0) {
    return record;
  }
  auto next = watch(storage, *record);
  for (const auto& view : record->views()) {
    if (view.storage().unsafeGetStorageImpl() == &storage) {
      next->add_view(view);
    }
  }
  return next;
}

void end_tracking(const at::Tensor& tensor, const UninitializedRecordPtr& record) {
  record->finish();
  auto* storage = tensor.storage().unsafeGetStorageImpl();
  if (uninitialized_record_on(*storage) == record) {
    storage->clear_materializer();
    storage->set_data_ptr_noswap(record->take_memory());
  }
  const auto unguard = [&](const at::Tensor& on_storage) {
    if (on_storage.key_set().has(kTrackedKey) &&
        on_storage.storage().unsafeGetStorageImpl() == storage) {
      remove_key(on_storage, kTrackedKey);
    }
  };
  for (const auto& view : record->views()) {
    unguard(view);
  }
  unguard(tensor);
}

}  // namespace metasan::guard
