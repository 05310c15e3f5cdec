#include "runtime/report/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace metasan::report {
namespace {

constexpr std::size_t kNamedTensors = 3;

struct Palette {
  std::string_view head;
  std::string_view label;
  std::string_view fix;
  std::string_view end;
};

Palette palette(Kind kind, Style style) {
  if (style == Style::Plain) {
    return {};
  }
  const std::string_view head = kind == Kind::Error     ? "\x1b[1;31m"
                                : kind == Kind::Warning ? "\x1b[1;35m"
                                                        : "\x1b[1;32m";
  return {.head = head, .label = "\x1b[1m", .fix = "\x1b[32m", .end = "\x1b[0m"};
}

/// Appends to a report; each line has a label, so that a reader finds what they look for.
class Writer {
 public:
  explicit Writer(const Palette& palette) : palette_(palette) {}

  void head(std::string_view text) {
    fmt::format_to(std::back_inserter(text_), "{}{}{}\n", palette_.head, text, palette_.end);
  }
  template <typename... Args>
  void line(std::string_view label, fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), "  {}{:<10}{}", palette_.label, label, palette_.end);
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void fix(std::string_view text) { line("fix", "{}{}{}", palette_.fix, text, palette_.end); }
  std::string take() {
    text_.pop_back();
    return std::move(text_);
  }

 private:
  Palette palette_;
  std::string text_;
};

void write_tensors(Writer& out, const std::vector<guard::TensorFacts>& tensors) {
  if (tensors.empty()) {
    return;
  }
  const auto& first = tensors.front();
  const auto origin = first.derived_by.empty()
                          ? std::string()
                          : fmt::format("a result of {}, computed from ", first.derived_by);
  out.line("tensor", "{}{}, {}", origin, describe(first), guard::state_note(first.state));
  if (tensors.size() > 1) {
    std::string names;
    for (std::size_t i = 1; i < tensors.size() && i <= kNamedTensors; ++i) {
      names += fmt::format("{}'{}'", i > 1 ? ", " : "", tensors[i].name);
    }
    const auto rest = tensors.size() - 1 > kNamedTensors
                          ? fmt::format(", and {} more", tensors.size() - 1 - kNamedTensors)
                          : "";
    out.line("also", "{}{}", names, rest);
  }
}

void write_call(Writer& out, const guard::Violation& violation) {
  if (violation.argument.empty()) {
    out.line("call", "{}", violation.op);
  } else {
    out.line("operator", "{}, argument '{}'", violation.op, violation.argument);
  }
  std::string_view detail = violation.detail;
  for (bool first = true; !detail.empty(); first = false) {
    const auto end = detail.find('\n');
    out.line(first ? "found" : "", "{}", detail.substr(0, end));
    detail.remove_prefix(end == detail.npos ? detail.size() : end + 1);
  }
}

void write_stack(Writer& out, const std::vector<Frame>& stack, std::size_t depth) {
  for (std::size_t i = 0; i < std::min(depth, stack.size()); ++i) {
    out.line(i == 0 ? "stack" : "", "#{} {}", i, stack[i].to_string());
  }
  if (stack.size() > depth) {
    out.line("", "and {} more", stack.size() - depth);
  }
}

void write_declaration(Writer& out, const Report& report) {
  const auto* tensor = report.tensor();
  if (tensor == nullptr || !tensor->declaration || tensor->declaration->op.empty()) {
    return;
  }
  const auto& declaration = *tensor->declaration;
  if (report.declared) {
    out.line("declared", "in {}", report.declared->to_string());
  }
  out.line(report.declared ? "" : "declared", "by {}, under the InitEmptyWeights scope at {}:{}",
           declaration.op, declaration.scope.file_name(), declaration.scope.line());
  if (!declaration.overridden_device.empty()) {
    out.line("", "where the scope overrode the explicit device '{}'",
             declaration.overridden_device);
  }
}

void write_history(Writer& out, const Report& report) {
  for (std::size_t i = 0; i < report.history.size(); ++i) {
    const auto& event = report.history[i];
    const auto where = event.where ? " in " + event.where->to_string() : std::string();
    out.line(i == 0 ? "history" : "", "{}{}", event.what, where);
    const auto dropped = report.tensor()->history.dropped();
    if (i == 0 && dropped > 0) {
      out.line("", "... {} more ...", dropped);
    }
  }
}

void write_checkpoint(Writer& out, const guard::TensorFacts* tensor) {
  if (tensor == nullptr || tensor->checkpoint.empty()) {
    return;
  }
  out.line("bound to", "{}{}{}", tensor->checkpoint, tensor->checkpoint_note.empty() ? "" : ": ",
           tensor->checkpoint_note);
}

}  // namespace

std::string render(const Report& report, std::size_t stack_depth, Style style) {
  const auto& violation = report.violation;
  Writer out(palette(report.kind, style));
  out.head(fmt::format("=={}=={}: MetaSan: {}: {}", report.pid, label(report.kind), report.rule.id,
                       report.rule.summary));
  if (!report.healed.empty()) {
    out.line("healed", "{}", report.healed);
  }
  if (!violation.torch_text.empty()) {
    out.line("torch", "{}", violation.torch_text);
  }
  write_tensors(out, violation.tensors);
  write_call(out, violation);
  write_stack(out, report.stack, stack_depth);
  write_declaration(out, report);
  write_history(out, report);
  write_checkpoint(out, report.tensor());
  out.fix(report.rule.fix);
  out.head(report.summary);
  return out.take();
}

}  // namespace metasan::report
