#include "runtime/options/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace metasan {
namespace {

constexpr std::size_t kLongestShown = 200;
// The edit distance is quadratic; among more names only those that differ by a prefix are found.
constexpr std::size_t kMostCompared = 10'000;

/// True when `longer` is `shorter` with dotted components in front of it.
bool differs_by_prefix(std::string_view longer, std::string_view shorter) {
  return longer.size() > shorter.size() && !shorter.empty() && longer.ends_with(shorter) &&
         longer[longer.size() - shorter.size() - 1] == '.';
}

}  // namespace

std::string quote(std::string_view name) {
  const bool cut = name.size() > kLongestShown;
  std::string text = "'";
  for (const char c : name.substr(0, kLongestShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      text += c;
    }
  }
  return text + (cut ? "...'" : "'");
}

std::string quote_list(std::span<const std::string> names, std::size_t limit) {
  std::string text;
  for (std::size_t i = 0; i < std::min(limit, names.size()); ++i) {
    text += (i == 0 ? "" : ", ") + quote(names[i]);
  }
  return names.size() > limit ? text + fmt::format(" and {} more", names.size() - limit) : text;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string_view> candidates) {
  // A third of the name may differ: enough for typos and renamed leaves, too little for unrelated
  // names.
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  std::optional<std::string_view> best;
  for (const std::string_view candidate : candidates) {
    if (candidate == name) {
      continue;
    }
    if (differs_by_prefix(candidate, name) || differs_by_prefix(name, candidate)) {
      return std::string(candidate);
    }
    const std::size_t gap =
        std::max(candidate.size(), name.size()) - std::min(candidate.size(), name.size());
    if (gap >= best_distance || candidates.size() > kMostCompared) {
      continue;
    }
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  if (!best) {
    return std::nullopt;
  }
  return std::string(*best);
}

}  // namespace metasan
