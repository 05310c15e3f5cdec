#include "runtime/guard/access.h"

#include "runtime/guard/operator_traits.h"
#include "runtime/guard/per_operator.h"
#include "runtime/options/suppressions.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace metasan::guard {
namespace {

struct Exception {
  std::string_view op;
  std::string_view argument;
  Access access;
};

/// What is known of one operator.
struct Accesses {
  std::vector<Access> arguments;
  bool only_allocates = false;
};

bool allocates(std::string_view name) {
  static constexpr std::string_view kNames[] = {
#define METASAN_ALLOCATES(Operator, Reason) Operator,
#define METASAN_ACCESS(Operator, Argument, Access, Reason)
#include "runtime/guard/access.def"
  };
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

std::optional<Access> exception_for(const c10::OperatorName& op, std::string_view argument) {
  static constexpr Exception kExceptions[] = {
#define METASAN_ALLOCATES(Operator, Reason)
#define METASAN_ACCESS(Operator, Argument, Access_, Reason) {Operator, Argument, Access::Access_},
#include "runtime/guard/access.def"
  };
  const auto full_name = c10::toString(op);
  for (const auto& exception : kExceptions) {
    if (exception.argument == argument &&
        (whole_matches(exception.op, op.name) || whole_matches(exception.op, full_name))) {
      return exception.access;
    }
  }
  return std::nullopt;
}

bool has_write(const c10::Argument& argument) {
  const auto* alias = argument.alias_info();
  return alias != nullptr && alias->isWrite();
}

/// The in-place operator that does to its `self` what `op` does to a copy of it, if there is one.
std::optional<c10::OperatorHandle> in_place_variant(const c10::OperatorName& op) {
  constexpr std::string_view kOut = "out";
  auto overload = op.overload_name;
  if (overload.ends_with(kOut)) {  // "out", "Tensor_out"
    overload.resize(overload.size() - kOut.size());
    overload.resize(overload.empty() ? 0 : overload.size() - 1);
  }
  return c10::Dispatcher::singleton().findSchema({op.name + '_', overload});
}

Access compute(const c10::OperatorHandle& op, std::size_t index) {
  const auto& name = op.operator_name();
  const auto& argument = op.schema().arguments()[index];
  if (const auto exception = exception_for(name, argument.name())) {
    return *exception;
  }
  if (has_write(argument)) {
    if (op.hasTag(at::Tag::inplace_view)) {
      return Access::None;
    }
    const bool fills = argument.is_out() || op.hasTag(at::Tag::nondeterministic_seeded);
    return fills ? Access::Write : Access::Read;
  }
  if (argument.alias_info() != nullptr || allocates(name.name) || only_metadata(op)) {
    return Access::None;
  }
  if (index == 0) {
    const auto in_place = in_place_variant(name);
    if (in_place && compute(*in_place, 0) == Access::Write) {
      return Access::Ignore;
    }
  }
  return Access::Read;
}

Accesses compute_all(const c10::OperatorHandle& op) {
  Accesses accesses{.arguments = {}, .only_allocates = allocates(op.operator_name().name)};
  for (std::size_t i = 0; i < op.schema().arguments().size(); ++i) {
    accesses.arguments.push_back(compute(op, i));
  }
  return accesses;
}

const Accesses& accesses_of(const c10::OperatorHandle& op) {
  thread_local PerOperator<Accesses> accesses(&compute_all);
  return accesses.of(op);
}

}  // namespace

Access access_of(const c10::OperatorHandle& op, std::size_t argument) {
  return accesses_of(op).arguments.at(argument);
}

bool is_written(const c10::OperatorHandle& op, std::size_t argument) {
  return has_write(op.schema().arguments()[argument]);
}

bool only_allocates(const c10::OperatorHandle& op) {
  return accesses_of(op).only_allocates;
}

bool is_plain_copy(const c10::OperatorHandle& op) {
  const auto& [name, overload] = op.operator_name();
  return overload.empty() && (name == "aten::clone" || name == "aten::_to_copy");
}

}  // namespace metasan::guard
