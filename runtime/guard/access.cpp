#include "runtime/guard/access.h"

#include "runtime/guard/operator_traits.h"
#include "runtime/guard/per_operator.h"

#include <optional>
#include <string_view>
#include <unordered_map>

namespace metasan::guard {
namespace {

std::optional<Access> look_up(const c10::OperatorHandle& op) {
  static const std::unordered_map<std::string_view, Access> kTable{
#define METASAN_ACCESS(Name, Kind, Reason) {Name, Access::Kind},
#include "runtime/guard/access.def"
  };
  const auto found = kTable.find(op.operator_name().name);
  return found == kTable.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Access> exception_for(const c10::OperatorHandle& op) {
  thread_local PerOperator<std::optional<Access>> exceptions(&look_up);
  return exceptions.of(op);
}

}  // namespace

bool is_written(const c10::OperatorHandle& op, std::size_t argument) {
  const auto* alias = op.schema().arguments()[argument].alias_info();
  return alias != nullptr && alias->isWrite();
}

Access access_of(const c10::OperatorHandle& op, std::size_t argument) {
  const auto& schema = op.schema().arguments()[argument];
  const auto exception = exception_for(op);
  if (is_written(op, argument)) {
    if (exception) {
      return *exception;
    }
    const bool fills = schema.is_out() || op.hasTag(at::Tag::nondeterministic_seeded);
    return fills ? Access::Write : Access::Read;
  }
  const bool is_view = schema.alias_info() != nullptr;
  return is_view || exception == Access::None || only_metadata(op) ? Access::None : Access::Read;
}

bool only_allocates(const c10::OperatorHandle& op) {
  return exception_for(op) == Access::None;
}

bool is_plain_copy(const c10::OperatorHandle& op) {
  const auto& name = op.operator_name().name;
  return name == "aten::clone" || name == "aten::_to_copy";
}

}  // namespace metasan::guard
