// The text of a report, line by line.
#include "runtime/guard/declaration.h"
#include "runtime/report/render.h"
#include "tests/runtime/report/samples.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <source_location>
#include <sstream>

namespace {

using metasan::Rule;
using metasan::State;
using metasan::guard::Declaration;
using metasan::guard::Violation;
using metasan::report::Frame;
using metasan::report::Kind;
using metasan::report::make_report;
using metasan::report::render;
using metasan::report::Report;
using metasan::report::Style;
using testing::HasSubstr;
using testing::MatchesRegex;

Frame frame(const std::string& function, const std::string& file, unsigned line) {
  return {.function = function, .file = file, .line = line, .object = "app"};
}

/// A report that has everything.
Report full_report() {
  auto violation = sample_violation("encoder.0.weight", Rule::MetaMixed);
  violation.torch_text =
      "Expected all tensors to be on the same device, but found at least two devices, cpu and "
      "meta!";
  violation.detail = "argument 'self' [2, 4] has data on cpu\nsecond line\n";
  auto& tensor = violation.tensors.front();
  Declaration declaration;
  declaration.scope = std::source_location::current();
  declaration.op = "aten::empty.memory_format";
  declaration.overridden_device = "cuda:0";
  tensor.declaration = std::make_shared<const Declaration>(declaration);
  tensor.checkpoint = "model.safetensors";
  tensor.checkpoint_note = "has no 'encoder.0.weight'; nearest 'encoder.0.weights'";
  auto other = tensor;
  other.name = "encoder.0.bias";
  violation.tensors.push_back(other);
  return {.kind = Kind::Error,
          .rule = metasan::info(Rule::MetaMixed),
          .pid = 4242,
          .thread = 4243,
          .violation = violation,
          .stack = {frame("Encoder::forward(at::Tensor)", "encoder.cpp", 17),
                    frame("run()", "main.cpp", 20), frame("main", "main.cpp", 30)},
          .in_user_code = true,
          .declared = frame("Encoder::Encoder(int)", "encoder.cpp", 8),
          .history = {{"offloaded to cpu", frame("run()", "main.cpp", 15)},
                      {"taken back", frame("run()", "main.cpp", 18)}},
          .summary =
              "SUMMARY: MetaSan: meta-mixed encoder.0.weight encoder.cpp:17 in "
              "Encoder::forward(at::Tensor)"};
}

constexpr std::string_view kFullText =
    R"(==4242==ERROR: MetaSan: meta-mixed: a tensor without data is computed with tensors that have data
  torch     Expected all tensors to be on the same device, but found at least two devices, cpu and meta!
  tensor    'encoder.0.weight' [4, 4] float32, declared, no data
  also      'encoder.0.bias'
  operator  aten::mm, argument 'mat2'
  found     argument 'self' [2, 4] has data on cpu
            second line
  stack     #0 Encoder::forward(at::Tensor) at encoder.cpp:17
            #1 run() at main.cpp:20
            #2 main at main.cpp:30
  declared  in Encoder::Encoder(int) at encoder.cpp:8
            by aten::empty.memory_format, under the InitEmptyWeights scope at main.cpp:12
            where the scope overrode the explicit device 'cuda:0'
  history   offloaded to cpu in run() at main.cpp:15
            taken back in run() at main.cpp:18
  bound to  model.safetensors: has no 'encoder.0.weight'; nearest 'encoder.0.weights'
  fix       load the weights first: metasan::load_checkpoint_and_dispatch(model, checkpoint, device)
SUMMARY: MetaSan: meta-mixed encoder.0.weight encoder.cpp:17 in Encoder::forward(at::Tensor))";

/// A place in a source file cannot be made up, so the report has one of this file.
std::string with_made_up_scope(std::string text, const Report& report) {
  const auto& scope = report.tensor()->declaration->scope;
  const auto place = scope.file_name() + (":" + std::to_string(scope.line()));
  return text.replace(text.find(place), place.size(), "main.cpp:12");
}

TEST(ReportText, HasEverythingInOrder) {
  const auto report = full_report();
  EXPECT_EQ(with_made_up_scope(render(report, 32), report), kFullText);
}

TEST(ReportText, IsTheOneOfThePageAboutOptions) {
  const auto page =
      std::filesystem::path(__FILE__).parent_path() / "../../../docs/guides/runtime-options.md";
  std::stringstream text;
  text << std::ifstream(page).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("\n```\n" + std::string(kFullText) + "\n```\n"));
}

TEST(ReportText, TheStackIsAsDeepAsAskedFor) {
  const auto text = render(full_report(), 1);
  EXPECT_THAT(text, HasSubstr("#0 Encoder::forward(at::Tensor) at encoder.cpp:17\n            and "
                              "2 more\n  declared"));
}

TEST(ReportText, WithColorsSaysTheSame) {
  auto colored = render(full_report(), 32, Style::Colored);
  EXPECT_THAT(colored, HasSubstr("\x1b[1;31m==4242==ERROR"));
  for (auto escape = colored.find('\x1b'); escape != colored.npos; escape = colored.find('\x1b')) {
    colored.erase(escape, colored.find('m', escape) - escape + 1);
  }
  EXPECT_EQ(colored, render(full_report(), 32));
}

TEST(ReportText, StatesAreNamed) {
  auto report = full_report();
  auto& tensor = report.violation.tensors.front();
  tensor.state = State::Uninitialized;
  EXPECT_THAT(render(report, 32), HasSubstr("float32, uninitialized, memory that was not written"));
  tensor.state = State::Offloaded;
  EXPECT_THAT(render(report, 32), HasSubstr("float32, offloaded, its data are elsewhere"));
}

TEST(ReportText, ADerivedTensorNamesItsRoot) {
  auto report = full_report();
  report.violation.tensors.front().derived_by = "aten::sum";
  EXPECT_THAT(render(report, 32), HasSubstr("tensor    a result of aten::sum, computed from "
                                            "'encoder.0.weight' [4, 4] float32"));
}

TEST(ReportText, AReportAboutNoTensor) {
  const Violation violation{
      .rule = Rule::MoveAfterDispatch, .op = "metasan::dispatch_model", .tensors = {}};
  const auto text = render(make_report(violation, {}), 32);
  EXPECT_EQ(text, "==" + std::to_string(getpid()) +
                      "==ERROR: MetaSan: move-after-dispatch: a module is moved after it was "
                      "dispatched\n"
                      "  call      metasan::dispatch_model\n"
                      "  fix       remove the move: the module is already where its device map "
                      "says\n"
                      "SUMMARY: MetaSan: move-after-dispatch <unnamed tensor> in "
                      "metasan::dispatch_model");
}

TEST(ReportText, ThePlaceIsTheUsersAndMainEndsTheStack) {
  const auto report = make_report(sample_violation("w"),
                                  metasan::guard::capture_stack(metasan::guard::kMostFrames));
  ASSERT_TRUE(report.in_user_code);
  EXPECT_THAT(report.stack.front().function, HasSubstr("ThePlaceIsTheUsers"));
  EXPECT_THAT(report.stack.front().file, testing::EndsWith("tests/runtime/report/text_test.cpp"));
  EXPECT_EQ(report.stack.back().function, "main");
  EXPECT_THAT(report.summary,
              MatchesRegex("SUMMARY: MetaSan: meta-mixed w .*/text_test.cpp:[0-9]+ in .*"));
}

TEST(ReportText, AWarningAndAHealing) {
  EXPECT_THAT(render(make_report(sample_violation("w", Rule::ScopeMisuse), {}), 32),
              HasSubstr("==WARNING: MetaSan: scope-misuse: "));
  const auto healed = render(make_report(sample_violation("w"), {}, "loaded it from m.bin"), 32);
  EXPECT_THAT(healed, HasSubstr("==HEALED: MetaSan: meta-mixed: "));
  EXPECT_THAT(healed, HasSubstr("\n  healed    loaded it from m.bin\n"));
  EXPECT_THAT(healed, HasSubstr("SUMMARY: MetaSan: healed meta-mixed w in aten::mm"));
}

}  // namespace
