#include "runtime/guard/raw_access.h"

#include <metasan/rules.h>

#include <sstream>

namespace metasan::guard {
namespace {

std::string raw_access_text(const Record& record, const at::Tensor& tensor) {
  std::ostringstream text;
  const auto name = record.name();
  text << "MetaSan: " << info(Rule::MetaRawAccess).id << ": the memory of "
       << (name.empty() ? std::string("a tensor") : "'" + name + "'") << ' ' << tensor.sizes()
       << ' ' << tensor.dtype()
       << " is accessed, but it has none. The tensor has a non-zero number of elements, but its "
          "data is not allocated yet."
       << "\n  declared  under the InitEmptyWeights scope at "
       << record.declaration()->scope.file_name() << ':' << record.declaration()->scope.line()
       << "\n  fix       " << info(Rule::MetaRawAccess).fix;
  return std::move(text).str();
}

}  // namespace

void forbid_raw_access(c10::StorageImpl& storage, Record& record, const at::Tensor& tensor) {
  auto text = raw_access_text(record, tensor);
  std::lock_guard lock(record.mutex);
  record.raw_access_text = std::move(text);
  storage.release_data_and_set_meta_custom_data_ptr_error_msg_(record.raw_access_text);
}

void RawAccessLift::add(const at::Tensor& tensor, RecordPtr record) {
  {
    std::lock_guard lock(record->mutex);
    if (record->begin_lift()) {
      tensor.storage().unsafeGetStorageImpl()->clear_data_ptr_access_error_msg_();
    }
  }
  lifted_.push_back({tensor.storage(), std::move(record)});
}

RawAccessLift::~RawAccessLift() {
  for (const auto& [storage, record] : lifted_) {
    std::lock_guard lock(record->mutex);
    if (record->end_lift()) {
      storage.unsafeGetStorageImpl()->release_data_and_set_meta_custom_data_ptr_error_msg_(
          record->raw_access_text);
    }
  }
}

}  // namespace metasan::guard
