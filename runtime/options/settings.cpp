#include "runtime/options/settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <stdexcept>

namespace metasan {
namespace {

constexpr int kMostFrames = 256;

/// Whatever held at some time is kept, so that readers need no lock.
struct Versions {
  std::mutex mutex;
  std::deque<Settings> all;
  std::atomic<const Settings*> current;
};

void check_range(const Options& options) {
  if (options.stack_depth < 1 || options.stack_depth > kMostFrames) {
    throw std::invalid_argument(fmt::format("option 'stack_depth' cannot be {}; expected 1 to {}",
                                            options.stack_depth, kMostFrames));
  }
  if (options.exitcode < 0 || options.exitcode > 255) {
    throw std::invalid_argument(
        fmt::format("option 'exitcode' cannot be {}; expected 0 to 255", options.exitcode));
  }
}

void make_current(Versions& versions, const Options& options) {
  check_range(options);
  const std::lock_guard lock(versions.mutex);
  // Options that go back and forth do not grow the list. Files are read again.
  for (const auto& version : versions.all) {
    if (version.options == options && options.suppressions.empty()) {
      versions.current = &version;
      return;
    }
  }
  versions.all.push_back({options, options.suppressions.empty()
                                       ? Suppressions()
                                       : Suppressions(options.suppressions)});
  versions.current = &versions.all.back();
}

void print(const std::string& text) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

void read_environment(Versions& versions) {
  const char* text = std::getenv("METASAN_OPTIONS");
  try {
    make_current(versions, parse_options(text == nullptr ? "" : text));
  } catch (const std::invalid_argument& error) {
    print(fmt::format("MetaSan: METASAN_OPTIONS: {}\n", error.what()));
    _exit(1);
  }
  if (versions.current.load()->options.help) {
    print(options_help());
  }
}

Versions& versions() {
  // Never destroyed: reports are still made while the process ends.
  static auto& instance = *[] {
    auto* created = new Versions;
    read_environment(*created);
    return created;
  }();
  return instance;
}

// An error in the environment is found before main, not in the middle of a run.
[[maybe_unused]] const auto& read_at_start = versions();

}  // namespace

const Settings& settings() {
  return *versions().current.load(std::memory_order_acquire);
}

std::vector<const Settings*> all_settings() {
  auto& kept = versions();
  const std::lock_guard lock(kept.mutex);
  std::vector<const Settings*> all;
  for (const auto& version : kept.all) {
    all.push_back(&version);
  }
  return all;
}

const Options& options() {
  return settings().options;
}

void set_options(const Options& options) {
  make_current(versions(), options);
}

}  // namespace metasan
