#include "runtime/report/tally.h"

#include "runtime/options/settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>

namespace metasan::report {
namespace {

struct Place {
  std::string summary;  ///< of the first report
  std::size_t left_out = 0;
};

struct Tally {
  std::mutex mutex;
  std::map<std::string, Place> places;
  std::array<std::size_t, 3> reports = {};  ///< by kind, with those that were left out
  std::atomic<std::size_t> suppressed = 0;
};

Tally& tally() {
  static auto& instance = *new Tally;  // reports are still made while the process ends
  return instance;
}

std::size_t& reports(Kind kind) {
  return tally().reports[static_cast<std::size_t>(kind)];
}

std::string used_suppressions() {
  std::string text;
  for (const auto* settings : all_settings()) {
    for (const auto& line : settings->suppressions.lines()) {
      if (line.uses > 0) {
        text += fmt::format("  {:>8} {}\n", line.uses.load(), line.to_string());
      }
    }
  }
  return text.empty()
             ? text
             : fmt::format("MetaSan: suppressions used:\n     count rule:pattern\n{}", text);
}

}  // namespace

bool count(const Report& report) {
  const std::lock_guard lock(tally().mutex);
  ++reports(report.kind);
  const auto [entry, is_new] = tally().places.try_emplace(report.place());
  if (is_new) {
    entry->second.summary = report.summary;
  }
  const bool print = is_new || !options().deduplicate;
  entry->second.left_out += print ? 0 : 1;
  return print;
}

void count_suppressed() {
  ++tally().suppressed;
}

std::string closing_words() {
  constexpr std::string_view kSummary = "SUMMARY: MetaSan: ";
  const std::lock_guard lock(tally().mutex);
  std::string text;
  for (const auto& [key, place] : tally().places) {
    if (place.left_out > 0) {
      text += fmt::format("MetaSan: {} further report{} of the same place: {}\n", place.left_out,
                          place.left_out == 1 ? "" : "s", place.summary.substr(kSummary.size()));
    }
  }
  text += used_suppressions();
  if (options().verbosity > 0) {
    text += fmt::format("MetaSan: {} errors, {} warnings, {} healed, {} suppressed\n",
                        reports(Kind::Error), reports(Kind::Warning), reports(Kind::Healed),
                        tally().suppressed.load());
  }
  if (text.empty()) {
    return text;
  }
  return fmt::format("=={}==", getpid()) + text;
}

bool printed_errors() {
  const std::lock_guard lock(tally().mutex);
  return reports(Kind::Error) > 0;
}

}  // namespace metasan::report
