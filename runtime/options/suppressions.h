#pragma once

#include <metasan/rules.h>

#include <atomic>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace metasan {

/// What is not to be reported: the lines of a file, in the form of the sanitizers' suppressions.
///
///     # a comment
///     meta-copy-out:encoder.layer.*.weight
///     *:third_party/
///
/// A pattern is looked for anywhere in a text; '*' stands for any characters, '^' and '$' for the
/// ends.
class Suppressions {
 public:
  struct Line {
    std::optional<Rule> rule;  ///< nothing for '*': every rule
    std::string pattern;
    mutable std::atomic<std::size_t> uses = 0;

    std::string to_string() const;
  };

  Suppressions() = default;
  /// Throws std::invalid_argument with file and line when the file cannot be read or a line is none
  /// of the above.
  explicit Suppressions(const std::string& path);

  /// True when a line is about `rule` and one of the texts; counts as a use of that line. Thread
  /// safe.
  bool match(Rule rule, std::span<const std::string_view> texts) const;

  bool empty() const { return lines_.empty(); }
  const std::deque<Line>& lines() const { return lines_; }

 private:
  std::deque<Line> lines_;
};

/// True when `pattern`, as above, is found in `text`.
bool pattern_matches(std::string_view pattern, std::string_view text);

/// True when `pattern` is all of `text`; '*' stands for any characters.
bool whole_matches(std::string_view pattern, std::string_view text);

}  // namespace metasan
