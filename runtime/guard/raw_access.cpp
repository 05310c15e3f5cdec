#include "runtime/guard/raw_access.h"

#include <metasan/rules.h>

#include "runtime/guard/violation.h"

#include <c10/core/ScalarType.h>
#include <unistd.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace metasan::guard {
namespace {

std::string sizes_of(const at::Tensor& tensor) {
  std::string text;
  for (const auto size : tensor.sizes()) {
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  }
  return text;
}

/// The report of an access, in the form of all others as far as it can be made before the access:
/// this is done for every declared tensor, so it has no stack, and no streams.
std::string raw_access_text(const Record& record, const at::Tensor& tensor) {
  constexpr const RuleInfo& kRule = info(Rule::MetaRawAccess);
  const auto name = record.name();
  std::string text;
  const auto add = [&text](std::initializer_list<std::string_view> parts) {
    for (const auto part : parts) {
      text += part;
    }
  };
  add({"==", std::to_string(getpid()), "==ERROR: MetaSan: ", kRule.id, ": ", kRule.summary,
       "\n  torch     The tensor has a non-zero number of elements, but its data is not allocated "
       "yet."});
  add({"\n  tensor    ", name.empty() ? std::string("a tensor") : "'" + name + "'", " [",
       sizes_of(tensor), "] ", c10::getDtypeNames(tensor.scalar_type()).first, ", ",
       state_note(record.state())});
  if (const auto& declaration = *record.declaration(); !declaration.op.empty()) {
    add({"\n  declared  by ", declaration.op, ", under the InitEmptyWeights scope at ",
         declaration.scope.file_name(), ":", std::to_string(declaration.scope.line())});
  }
  const std::string_view fix =
      record.state() == State::Offloaded ? "take the pointer of a copy: tensor.clone()" : kRule.fix;
  add({"\n  fix       ", fix, "\nSUMMARY: MetaSan: ", kRule.id, " ",
       name.empty() ? std::string_view("<unnamed tensor>") : name});
  return text;
}

}  // namespace

void forbid_raw_access(c10::StorageImpl& storage, Record& record, const at::Tensor& tensor) {
  auto text = raw_access_text(record, tensor);
  std::lock_guard lock(record.mutex);
  record.raw_access_text = std::move(text);
  record.forbid_raw_access(storage);
}

void RawAccessLift::add(const at::Tensor& tensor, RecordPtr record) {
  {
    std::lock_guard lock(record->mutex);
    if (record->begin_lift()) {
      record->allow_raw_access(*tensor.storage().unsafeGetStorageImpl());
    }
  }
  lifted_.push_back({tensor.storage(), std::move(record)});
}

RawAccessLift::~RawAccessLift() {
  for (const auto& [storage, record] : lifted_) {
    std::lock_guard lock(record->mutex);
    if (record->end_lift()) {
      record->forbid_raw_access(*storage.unsafeGetStorageImpl());
    }
  }
}

}  // namespace metasan::guard
