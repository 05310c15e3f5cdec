#pragma once

#include "runtime/guard/record.h"

#include <c10/core/StorageImpl.h>

#include <vector>

namespace metasan::guard {

/// Makes every raw access to the storage (`data_ptr()`, accessors, `storage().data()`, through any
/// view) throw MetaSan's text, where stock LibTorch hands out a null pointer. `tensor` is named in
/// the text. Locks the record.
void forbid_raw_access(c10::StorageImpl& storage, Record& record, const at::Tensor& tensor);

/// While it lives, LibTorch's own code may take the data pointers of the storages added to it: many
/// in-place and out= operators compare the null pointers of declared ones to find overlaps, and
/// operators that write uninitialized memory do not end its tracking. Calls of several threads on
/// one storage nest.
class RawAccessLift {
 public:
  RawAccessLift() = default;
  ~RawAccessLift();
  RawAccessLift(const RawAccessLift&) = delete;
  RawAccessLift& operator=(const RawAccessLift&) = delete;

  void add(const at::Tensor& tensor, RecordPtr record);

 private:
  struct Lifted {
    c10::Storage storage;
    RecordPtr record;
  };
  std::vector<Lifted> lifted_;
};

}  // namespace metasan::guard
