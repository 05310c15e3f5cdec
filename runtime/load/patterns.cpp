#include "runtime/load/patterns.h"

#include <algorithm>

namespace metasan::load {
namespace {

bool matches(std::string_view name, std::string_view pattern) {
  // Linear but for backtracking to the last star: what the star before it took never has to change.
  std::size_t n = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

bool matches_any(std::string_view name, std::span<const std::string> patterns) {
  return std::ranges::any_of(patterns,
                             [&](const std::string& pattern) { return matches(name, pattern); });
}

}  // namespace metasan::load
