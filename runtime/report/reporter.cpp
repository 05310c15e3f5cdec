#include "runtime/report/reporter.h"

#include <metasan/errors.h>

#include "runtime/options/settings.h"
#include "runtime/report/json.h"
#include "runtime/report/output.h"
#include "runtime/report/render.h"
#include "runtime/report/tally.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace metasan::report {
namespace {

std::size_t shown_frames() {
  return static_cast<std::size_t>(options().stack_depth);
}

bool is_suppressed(const Report& report) {
  const auto& suppressions = settings().suppressions;
  if (suppressions.empty()) {
    return false;
  }
  std::vector<std::string_view> texts = {report.violation.op};
  for (const auto& tensor : report.violation.tensors) {
    texts.push_back(tensor.name);
  }
  for (const auto& frame : report.stack) {
    texts.push_back(frame.function);
    texts.push_back(frame.file);
  }
  if (!suppressions.match(report.rule.rule, texts)) {
    return false;
  }
  count_suppressed();
  return true;
}

enum class To : std::uint8_t { LogAndJson, JsonOnly };

/// Prints a report, unless one of the same place was printed before.
void print(const Report& report, To to) {
  const auto& json = options().json;
  if ((to == To::JsonOnly && json.empty()) || !count(report)) {
    return;
  }
  if (to == To::LogAndJson) {
    const auto style = log_has_color() ? Style::Colored : Style::Plain;
    write_log(render(report, shown_frames(), style) + '\n');
  }
  if (!json.empty()) {
    append_to_file(json, to_json(report, shown_frames()) + '\n');
  }
}

[[noreturn]] void throw_error(const Report& report) {
  const auto* tensor = report.tensor();
  throw MetaTensorError(report.rule.rule, tensor == nullptr ? std::string() : tensor->name,
                        report.violation.op, render(report, shown_frames()));
}

[[noreturn]] void print_and_throw(const Report& report) {
  // Whoever catches the error has its text; a log is for those who do not show it.
  print(report, logs_to_file() ? To::LogAndJson : To::JsonOnly);
  throw_error(report);
}

[[noreturn]] void print_and_abort(const Report& report) {
  print(report, To::LogAndJson);
  write_log(fmt::format("=={}==ABORTING\n", getpid()));
  _exit(options().exitcode);
}

void report_violation(const guard::Violation& violation) {
  const auto report = make_report(violation, guard::capture_stack(guard::kMostFrames));
  if (is_suppressed(report)) {
    return;
  }
  if (report.kind == Kind::Warning) {
    print(report, To::LogAndJson);
    return;
  }
  switch (options().action) {
    case Action::Report:
      print(report, To::LogAndJson);
      return;
    case Action::Abort:
      print_and_abort(report);
    case Action::Throw:
    case Action::Heal:
      print_and_throw(report);
  }
}

void raise_violation(const guard::Violation& violation) {
  const auto report = make_report(violation, guard::capture_stack(guard::kMostFrames));
  if (is_suppressed(report)) {
    throw_error(report);
  }
  if (options().action == Action::Abort) {
    print_and_abort(report);
  }
  print_and_throw(report);
}

void at_end_of_process() {
  if (const auto text = closing_words(); !text.empty()) {
    write_log(text);
  }
  const auto& now = options();
  if (now.action == Action::Report && now.exitcode != 0 && printed_errors()) {
    std::fflush(nullptr);
    _exit(now.exitcode);
  }
}

constexpr guard::Reporter kReporter{&report_violation, &raise_violation, &report_healed};

[[maybe_unused]] const bool installed = [] {
  guard::set_reporter(kReporter);
  return std::atexit(&at_end_of_process) == 0;
}();

}  // namespace

void report_healed(const guard::Violation& violation, const std::string& what) {
  const auto report = make_report(violation, guard::capture_stack(guard::kMostFrames), what);
  if (!is_suppressed(report)) {
    print(report, To::LogAndJson);
  }
}

}  // namespace metasan::report
