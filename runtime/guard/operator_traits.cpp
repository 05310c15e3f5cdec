#include "runtime/guard/operator_traits.h"

#include "runtime/guard/per_operator.h"
#include "runtime/options/suppressions.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace metasan::guard {
namespace {

bool needs_only_metadata(std::string_view name) {
  static constexpr std::string_view kPatterns[] = {
#define METASAN_METADATA_ONLY(Name, Reason) Name,
#include "metasan/metadata_only.def"
  };
  return std::any_of(std::begin(kPatterns), std::end(kPatterns),
                     [&](std::string_view pattern) { return whole_matches(pattern, name); });
}

bool has_wrong_meta_kernel(std::string_view full_name) {
  static constexpr std::string_view kNames[] = {
#define METASAN_WRONG_META_KERNEL(Name, Reason) Name,
#include "runtime/guard/wrong_meta_kernels.def"
  };
  return std::find(std::begin(kNames), std::end(kNames), full_name) != std::end(kNames);
}

OperatorTraits compute(const c10::OperatorHandle& op) {
  const auto& name = op.operator_name();
  return {.only_metadata = needs_only_metadata(name.name),
          .wrong_meta_kernel = has_wrong_meta_kernel(c10::toString(name)),
          .by_element = name.name.starts_with("aten::_foreach_"),
          .data_dependent = op.hasTag(at::Tag::data_dependent_output),
          .dynamic_shape = op.hasTag(at::Tag::dynamic_output_shape)};
}

}  // namespace

const OperatorTraits& traits_of(const c10::OperatorHandle& op) {
  thread_local PerOperator<OperatorTraits> traits(&compute);
  return traits.of(op);
}

}  // namespace metasan::guard
