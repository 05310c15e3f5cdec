#include "runtime/report/report.h"

#include <c10/core/ScalarType.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace metasan::report {
namespace {

std::optional<Frame> user_frame_of(const std::vector<void*>& stack) {
  const auto frames = symbolize(stack);
  const auto* user = user_frame(frames);
  return user == nullptr ? std::nullopt : std::optional(*user);
}

/// Cuts off what lies outside of the user's code: the frames of MetaSan and the dispatcher above
/// the call that the reader made, and what started the program below main.
std::vector<Frame> readable(std::vector<Frame> frames) {
  const auto* user = user_frame(frames);
  if (user != nullptr) {
    frames.erase(frames.begin(), frames.begin() + (user - frames.data()));
  }
  std::erase_if(frames, [](const Frame& f) { return f.function.empty() && f.file.empty(); });
  const auto main = std::find_if(frames.begin(), frames.end(),
                                 [](const Frame& frame) { return frame.function == "main"; });
  if (main != frames.end()) {
    frames.erase(main + 1, frames.end());
  }
  return frames;
}

std::string summary_of(const Report& report) {
  const auto* tensor = report.tensor();
  const auto name = tensor == nullptr || tensor->name.empty() ? "<unnamed tensor>" : tensor->name;
  auto text = fmt::format("SUMMARY: MetaSan: {}{} {}", report.kind == Kind::Healed ? "healed " : "",
                          report.rule.id, name);
  if (!report.in_user_code) {
    return text + " in " + report.violation.op;
  }
  const auto& user = report.stack.front();
  return user.file.empty()
             ? fmt::format("{} in {}", text, user.function)
             : fmt::format("{} {}:{} in {}", text, user.file, user.line, user.function);
}

}  // namespace

std::string Report::place() const {
  if (!in_user_code) {
    return summary;
  }
  const auto& user = stack.front();
  return fmt::format("{} {} {}:{} {}", label(kind), rule.id, user.file, user.line, user.function);
}

Report make_report(guard::Violation violation, const std::vector<void*>& stack,
                   std::string healed) {
  const auto& rule = info(violation.rule);
  const auto kind = !healed.empty()                      ? Kind::Healed
                    : rule.severity == Severity::Warning ? Kind::Warning
                                                         : Kind::Error;
  Report report{.kind = kind,
                .rule = rule,
                .pid = getpid(),
                .thread = static_cast<int>(syscall(SYS_gettid)),
                .violation = std::move(violation),
                .stack = readable(symbolize(stack)),
                .healed = std::move(healed)};
  report.in_user_code = !report.stack.empty() && report.stack.front().is_user_code();
  if (const auto* tensor = report.tensor()) {
    if (tensor->declaration) {
      report.declared = user_frame_of(tensor->declaration->stack);
    }
    for (const auto& event : tensor->history.events()) {
      report.history.push_back({event.what, user_frame_of(event.stack)});
    }
  }
  report.summary = summary_of(report);
  return report;
}

std::string_view label(Kind kind) {
  switch (kind) {
    case Kind::Error:
      return "ERROR";
    case Kind::Warning:
      return "WARNING";
    case Kind::Healed:
      return "HEALED";
  }
  return "";
}

std::string describe(const guard::TensorFacts& tensor) {
  const auto name =
      tensor.name.empty() ? std::string("a tensor") : fmt::format("'{}'", tensor.name);
  return fmt::format("{} [{}] {}", name, fmt::join(tensor.sizes, ", "),
                     c10::getDtypeNames(tensor.dtype).first);
}

}  // namespace metasan::report
