#include <metasan/state.h>

#include "runtime/guard/record.h"
#include "runtime/report/symbolize.h"

#include <fmt/format.h>

namespace metasan {

Provenance provenance_of(const at::Tensor& tensor) {
  const auto record = guard::record_of(tensor);
  if (!record || record->declaration()->op.empty()) {
    return {};
  }
  const auto& declaration = *record->declaration();
  const auto frames = report::symbolize(declaration.stack);
  const auto* user = report::user_frame(frames);
  return {.name = record->name(),
          .scope = fmt::format("{}:{}", declaration.scope.file_name(), declaration.scope.line()),
          .declared_at = user == nullptr ? std::string() : user->to_string(),
          .requested_device = declaration.overridden_device};
}

}  // namespace metasan
