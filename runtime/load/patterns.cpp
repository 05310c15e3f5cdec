#include "runtime/load/patterns.h"

#include "runtime/options/suppressions.h"

#include <algorithm>

namespace metasan::load {

bool matches_any(std::string_view name, std::span<const std::string> patterns) {
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return whole_matches(pattern, name); });
}

}  // namespace metasan::load
