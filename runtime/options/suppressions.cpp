#include "runtime/options/suppressions.h"

#include "runtime/options/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace metasan {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::optional<Rule> rule_of(std::string_view id) {
  if (id == "*") {
    return std::nullopt;
  }
  const auto found = std::find_if(kRules.begin(), kRules.end(),
                                  [&](const RuleInfo& rule) { return rule.id == id; });
  if (found != kRules.end()) {
    return found->rule;
  }
  std::vector<std::string_view> ids;
  for (const auto& rule : kRules) {
    ids.push_back(rule.id);
  }
  const auto nearest = nearest_name(id, ids);
  throw std::invalid_argument(
      fmt::format("no rule is called {}{}", quote(id),
                  nearest ? fmt::format("; did you mean {}?", quote(*nearest)) : ""));
}

}  // namespace

std::string Suppressions::Line::to_string() const {
  return fmt::format("{}:{}", rule ? info(*rule).id : "*", pattern);
}

Suppressions::Suppressions(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw std::invalid_argument(fmt::format("cannot read the suppressions file {}", quote(path)));
  }
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    const auto line = trim(text);
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    try {
      const auto colon = line.find(':');
      const auto pattern = colon == line.npos ? std::string_view() : trim(line.substr(colon + 1));
      if (pattern.empty()) {
        throw std::invalid_argument(
            fmt::format("{} is not of the form rule:pattern, or *:pattern", quote(line)));
      }
      auto& added = lines_.emplace_back();
      added.rule = rule_of(trim(line.substr(0, colon)));
      added.pattern = pattern;
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
}

bool Suppressions::match(Rule rule, std::span<const std::string_view> texts) const {
  const auto found = std::find_if(lines_.begin(), lines_.end(), [&](const Line& line) {
    return line.rule.value_or(rule) == rule &&
           std::any_of(texts.begin(), texts.end(),
                       [&](std::string_view text) { return pattern_matches(line.pattern, text); });
  });
  if (found == lines_.end()) {
    return false;
  }
  ++found->uses;
  return true;
}

bool pattern_matches(std::string_view pattern, std::string_view text) {
  const bool at_begin = pattern.starts_with('^');
  pattern.remove_prefix(at_begin ? 1 : 0);
  const bool at_end = pattern.ends_with('$');
  pattern.remove_suffix(at_end ? 1 : 0);
  // The earliest place for each piece leaves most for the next ones.
  for (bool first = true;; first = false) {
    const auto star = pattern.find('*');
    const auto piece = pattern.substr(0, star);
    const bool last = star == pattern.npos;
    if (last && at_end) {
      return text.ends_with(piece) && (!(first && at_begin) || text == piece);
    }
    const auto found = text.find(piece);
    if (found == text.npos || (first && at_begin && found != 0)) {
      return false;
    }
    if (last) {
      return true;
    }
    text.remove_prefix(found + piece.size());
    pattern.remove_prefix(star + 1);
  }
}

bool whole_matches(std::string_view pattern, std::string_view text) {
  return pattern_matches(fmt::format("^{}$", pattern), text);
}

}  // namespace metasan
