#pragma once

#include "runtime/guard/record.h"
#include "runtime/guard/written_bytes.h"

#include <atomic>
#include <optional>

namespace metasan::guard {

/// The record of a storage whose memory was allocated and not written in full yet. It owns the
/// memory until then. Tensors on the storage have kTrackedKey.
///
/// A raw pointer to the memory that is handed out for writing ends the tracking, as nobody sees
/// what is written through it.
class UninitializedRecord : public Record {
 public:
  /// For memory of `bytes` bytes; `previous` is the record of the tensors before they got it, or
  /// null.
  UninitializedRecord(const Record* previous, c10::DataPtr memory, std::int64_t bytes);
  /// For the memory that took the place of that of `before`: what was written is there, as far as
  /// it reaches.
  UninitializedRecord(const UninitializedRecord& before, c10::DataPtr memory, std::int64_t bytes);

  State state() const override;

  void allow_raw_access(c10::StorageImpl& storage) override;
  void forbid_raw_access(c10::StorageImpl& storage) override;

  /// All elements of `tensor`, which lies on the storage, have a value now.
  void mark_written(const at::Tensor& tensor);
  /// The same for the elements of `tensor` where `mask` is true, which mask_for(tensor) made.
  void mark_written_where(const at::Tensor& tensor, const at::Tensor& mask);

  /// The first part of `tensor` that was not written: nothing when it can be read.
  std::optional<ByteRange> first_gap(const at::Tensor& tensor) const;
  bool is_untouched() const;

  /// Nothing is tracked any more: all was written, or may have been through a raw pointer.
  bool is_finished() const { return finished_; }
  void finish() { finished_ = true; }
  /// The memory, to give it back to the storage.
  c10::DataPtr take_memory();

 private:
  void finish_if_complete();

  c10::DataPtr memory_;
  const std::int64_t bytes_;
  WrittenBytes written_;
  std::atomic<bool> finished_ = false;
};
using UninitializedRecordPtr = c10::intrusive_ptr<UninitializedRecord>;

/// Null for tensors in every other state, and where the tracking has ended.
UninitializedRecordPtr uninitialized_record_of(const at::Tensor& tensor);

/// Tracks the memory of `tensor`, an ordinary strided tensor that nobody has written to: from now
/// on reading it before it was written is a violation. Other tensors on its storage are to be
/// given too, or go unseen. `previous` is its record before it got memory, or null: name and
/// history go on.
void track_uninitialized(const at::Tensor& tensor, const RecordPtr& previous);

/// For a tensor that an operator may have resized, and whose storage had `record` before. Returns
/// the record of the memory that it has now, in which what was written of the old one counts.
UninitializedRecordPtr track_resized(const at::Tensor& tensor,
                                     const UninitializedRecordPtr& record);

/// A boolean tensor, all false, with the geometry of `tensor` but its own memory on the same
/// device.
at::Tensor mask_for(const at::Tensor& tensor);

/// Takes the guard off a storage and off the tensors on it that MetaSan knows.
void end_tracking(const at::Tensor& tensor, const UninitializedRecordPtr& record);

}  // namespace metasan::guard
