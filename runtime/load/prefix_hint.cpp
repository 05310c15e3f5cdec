#include "runtime/load/prefix_hint.h"

#include <fmt/format.h>

#include <map>
#include <unordered_set>

namespace metasan::load {
namespace {

struct Shift {
  std::string_view prefix;
  std::size_t matches = 0;
};

/// The prefix that, taken away from `longer`, gives the most of the `shorter` names.
Shift best_shift(std::span<const std::string> longer, std::span<const std::string> shorter) {
  const std::unordered_set<std::string_view> targets(shorter.begin(), shorter.end());
  std::map<std::string_view, std::size_t> matches;
  for (const std::string_view name : longer) {
    for (std::size_t dot = name.find('.'); dot != std::string_view::npos;
         dot = name.find('.', dot + 1)) {
      if (targets.contains(name.substr(dot + 1))) {
        ++matches[name.substr(0, dot + 1)];
      }
    }
  }
  Shift best;
  for (const auto& [prefix, count] : matches) {
    if (count > best.matches) {
      best = {prefix, count};
    }
  }
  return best;
}

}  // namespace

std::string prefix_hint(std::span<const std::string> missing,
                        std::span<const std::string> unexpected) {
  const Shift in_checkpoint = best_shift(unexpected, missing);
  const Shift in_module = best_shift(missing, unexpected);
  const Shift& best = in_checkpoint.matches >= in_module.matches ? in_checkpoint : in_module;
  // Fewer than half of the names is chance: "weight" is the end of many names.
  if (best.matches == 0 || best.matches * 2 < missing.size()) {
    return "";
  }
  if (&best == &in_checkpoint) {
    return fmt::format(
        "{} of the {} missing names match when '{}' is taken away from the names of the "
        "checkpoint: load it into the "
        "module that has a child '{}', or rename its tensors",
        best.matches, missing.size(), best.prefix, best.prefix.substr(0, best.prefix.size() - 1));
  }
  return fmt::format(
      "{} of the {} missing names match when '{}' is taken away from the names of the module: load "
      "the checkpoint into "
      "its child '{}'",
      best.matches, missing.size(), best.prefix, best.prefix.substr(0, best.prefix.size() - 1));
}

}  // namespace metasan::load
