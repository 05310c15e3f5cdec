#include "runtime/report/output.h"

#include <metasan/options.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace metasan::report {
namespace {

std::mutex& output_mutex() {
  static auto& mutex = *new std::mutex;  // reports are still written while the process ends
  return mutex;
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const auto written = write(file, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return;  // there is no other place to say so
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// A file that stays open for the process; standard error where that is not possible, which is said
/// once. Under the lock.
int open_file(const std::string& path) {
  static auto& open_files = *new std::map<std::string, int>;
  const auto [entry, is_new] = open_files.try_emplace(path, STDERR_FILENO);
  if (is_new) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0) {
      write_all(STDERR_FILENO, fmt::format("MetaSan: cannot open '{}' for reports: {}; they go to "
                                           "stderr\n",
                                           path, std::strerror(errno)));
    } else {
      entry->second = file;
    }
  }
  return entry->second;
}

/// Where the log goes; -1 for a file.
int standard_stream() {
  const auto& path = options().log_path;
  return path == "stderr" ? STDERR_FILENO : path == "stdout" ? STDOUT_FILENO : -1;
}

}  // namespace

void append_to_file(const std::string& path, std::string_view text) {
  const std::lock_guard lock(output_mutex());
  write_all(open_file(path), text);
}

void write_log(std::string_view text) {
  if (const int stream = standard_stream(); stream >= 0) {
    const std::lock_guard lock(output_mutex());
    write_all(stream, text);
  } else {
    // The process may have been forked from one that had a log of its own.
    append_to_file(fmt::format("{}.{}", options().log_path, getpid()), text);
  }
}

bool logs_to_file() {
  return standard_stream() < 0;
}

bool log_has_color() {
  switch (options().color) {
    case Color::Always:
      return true;
    case Color::Never:
      return false;
    case Color::Auto:
      break;
  }
  const char* term = std::getenv("TERM");
  return !logs_to_file() && isatty(standard_stream()) == 1 &&
         (term == nullptr || std::strcmp(term, "dumb") != 0);
}

}  // namespace metasan::report
