#pragma once

#include "runtime/guard/record.h"

namespace metasan::guard {

/// The record of a storage whose values are kept elsewhere, in the memory of the host. Each
/// operator that needs them gets a copy on the execution device, and what it writes is written
/// back; where the execution device is the host, it gets the values themselves.
///
/// Tensors on the storage have kTrackedKey, report the execution device, and have no memory there:
/// a raw access throws.
class OffloadedRecord : public Record {
 public:
  OffloadedRecord(const Record* previous, c10::Storage values, c10::Device execution_device);

  State state() const override { return State::Offloaded; }
  c10::Device execution_device() const { return execution_device_; }

  /// The values of `guarded`, a tensor on the storage, where they are kept: shares their memory.
  at::Tensor kept(const at::Tensor& guarded) const;
  /// The same on the execution device.
  at::Tensor fetch(const at::Tensor& guarded) const;
  /// Takes back what fetch(guarded) gave, once an operator has written to it, and perhaps resized
  /// it.
  void write_back(const at::Tensor& guarded, const at::Tensor& fetched) const;

 private:
  const c10::Storage values_;
  const c10::Device execution_device_;
};
using OffloadedRecordPtr = c10::intrusive_ptr<OffloadedRecord>;

/// Null for tensors in every other state.
OffloadedRecordPtr offloaded_record_of(const at::Tensor& tensor);

/// Moves the values of `tensor`, which is strided and has data, to the memory of the host, and
/// leaves a guard that operators on `execution_device` can use in its place. Other tensors on its
/// storage are to be given too: each stays a part of the same values. `previous` is the record of
/// an earlier state or null.
void offload(const at::Tensor& tensor, c10::Device execution_device, const RecordPtr& previous);

}  // namespace metasan::guard
