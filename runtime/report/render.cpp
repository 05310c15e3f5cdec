#include "runtime/report/render.h"

#include "runtime/report/symbolize.h"

#include <c10/core/ScalarType.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <iterator>

namespace metasan::report {
namespace {

constexpr std::size_t kNamedTensors = 3;
constexpr std::size_t kStackFrames = 24;

/// Appends to a report; each line has a label, so that a reader finds what they look for.
class Writer {
 public:
  template <typename... Args>
  void line(std::string_view label, fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), "  {:<10}", label);
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void head(std::string_view text) { (text_ += text) += '\n'; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void write_declaration(Writer& out, const guard::TensorFacts& tensor) {
  const auto& declaration = tensor.declaration;
  if (!declaration || declaration->op.empty()) {
    return;
  }
  const auto frames = symbolize(declaration->stack);
  if (const auto* user = user_frame(frames)) {
    out.line("declared", "in {}", user->to_string());
    out.line("", "by {}, under the InitEmptyWeights scope at {}:{}", declaration->op,
             declaration->scope.file_name(), declaration->scope.line());
  } else {
    out.line("declared", "by {}, under the InitEmptyWeights scope at {}:{}", declaration->op,
             declaration->scope.file_name(), declaration->scope.line());
  }
  if (!declaration->overridden_device.empty()) {
    out.line("", "where the scope overrode the explicit device '{}'",
             declaration->overridden_device);
  }
}

void write_tensors(Writer& out, const std::vector<guard::TensorFacts>& tensors) {
  if (tensors.empty()) {
    return;
  }
  const auto& first = tensors.front();
  if (first.derived_by.empty()) {
    out.line("tensor", "{}, declared, no data", describe(first));
  } else {
    out.line("tensor", "a result of {}, computed from {}, declared, no data", first.derived_by,
             describe(first));
  }
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

void write_stack(Writer& out, const std::vector<Frame>& frames) {
  // MetaSan's own frames and the dispatcher's lie above the call that the reader made.
  std::size_t number = 0;
  const auto* user = user_frame(frames);
  const auto first =
      user == nullptr ? std::size_t{0} : static_cast<std::size_t>(user - frames.data());
  for (auto i = first; i < frames.size() && number < kStackFrames; ++i) {
    if (frames[i].function.empty() && frames[i].file.empty()) {
      continue;
    }
    out.line(number == 0 ? "stack" : "", "#{} {}", number, frames[i].to_string());
    ++number;
    if (frames[i].function == "main") {
      break;  // below it lies only what started the program
    }
  }
}

std::string summary(const guard::Violation& violation, const Frame* user) {
  const auto& id = info(violation.rule).id;
  const auto name = violation.tensors.empty() || violation.tensors.front().name.empty()
                        ? std::string("<unnamed tensor>")
                        : violation.tensors.front().name;
  if (user == nullptr) {
    return fmt::format("SUMMARY: MetaSan: {} {} in {}", id, name, violation.op);
  }
  if (user->file.empty()) {
    return fmt::format("SUMMARY: MetaSan: {} {} in {}", id, name, user->function);
  }
  return fmt::format("SUMMARY: MetaSan: {} {} {}:{} in {}", id, name, user->file, user->line,
                     user->function);
}

}  // namespace

std::string describe(const guard::TensorFacts& tensor) {
  const auto name =
      tensor.name.empty() ? std::string("a tensor") : fmt::format("'{}'", tensor.name);
  return fmt::format("{} [{}] {}", name, fmt::join(tensor.sizes, ", "),
                     c10::getDtypeNames(tensor.dtype).first);
}

std::string render(const guard::Violation& violation, const std::vector<void*>& stack) {
  const auto& rule = info(violation.rule);
  Writer out;
  out.head(fmt::format("=={}=={}: MetaSan: {}: {}", getpid(),
                       rule.severity == Severity::Error ? "ERROR" : "WARNING", rule.id,
                       rule.summary));
  if (!violation.torch_text.empty()) {
    out.line("torch", "{}", violation.torch_text);
  }
  write_tensors(out, violation.tensors);
  if (violation.argument.empty()) {
    out.line("call", "{}", violation.op);
  } else {
    out.line("operator", "{}, argument '{}'", violation.op, violation.argument);
  }
  std::string_view detail = violation.detail;
  for (bool first = true; !detail.empty(); first = false) {
    const auto end = detail.find('\n');
    out.line(first ? "found" : "", "{}", detail.substr(0, end));
    detail.remove_prefix(end == std::string_view::npos ? detail.size() : end + 1);
  }
  if (!violation.tensors.empty()) {
    write_declaration(out, violation.tensors.front());
  }
  const auto frames = symbolize(stack);
  write_stack(out, frames);
  out.line("fix", "{}", rule.fix);
  out.head(summary(violation, user_frame(frames)));
  auto text = out.take();
  text.pop_back();
  return text;
}

}  // namespace metasan::report
