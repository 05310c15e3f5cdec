// What a violation does, by the options: throw, report, abort; where it is printed.
#include "tests/runtime/report/samples.h"

#include <metasan/metasan.h>

#include "runtime/report/reporter.h"

#include <gmock/gmock.h>
#include <torch/torch.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace {

using metasan::MetaTensorError;
using metasan::Rule;
using metasan::guard::raise;
using metasan::guard::report;
using testing::ExitedWithCode;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

class Actions : public ReportTest {
 protected:
  /// Options with a log of its own.
  static void use_log(const std::string& text) {
    use("log_path='" + log_path() + "':exitcode=0:deduplicate=0:" + text);
  }
};

TEST_F(Actions, ThrowCarriesTheReportAndPrintsNothing) {
  testing::internal::CaptureStderr();
  try {
    report(sample_violation("w"));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const MetaTensorError& error) {
    EXPECT_EQ(error.rule(), Rule::MetaMixed);
    EXPECT_EQ(error.tensor(), "w");
    EXPECT_EQ(error.op(), "aten::mm");
    EXPECT_THAT(error.what(), HasSubstr("==ERROR: MetaSan: meta-mixed: "));
    EXPECT_THAT(error.what(), HasSubstr("SUMMARY: MetaSan: meta-mixed w "));
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(), IsEmpty());
}

TEST_F(Actions, WhatIsThrownIsAlsoLogged) {
  use_log("json=" + json_file());
  EXPECT_THROW(report(sample_violation("w")), MetaTensorError);
  EXPECT_THAT(read(log_file()), HasSubstr("SUMMARY: MetaSan: meta-mixed w "));
  EXPECT_EQ(nlohmann::json::parse(read(json_file()))["tensor"], "w");
}

TEST_F(Actions, ReportPrintsAndGoesOn) {
  use("action=report:exitcode=0:deduplicate=0");
  testing::internal::CaptureStderr();
  report(sample_violation("w"));
  const auto text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, StartsWith("==" + std::to_string(getpid()) + "==ERROR: MetaSan: meta-mixed"));
  EXPECT_EQ(text.back(), '\n');
}

TEST_F(Actions, WhatCannotGoOnThrowsInEveryCase) {
  use_log("action=report");
  EXPECT_THROW(raise(sample_violation("w")), MetaTensorError);
  use_log("action=heal");
  EXPECT_THROW(raise(sample_violation("w")), MetaTensorError);
  EXPECT_THROW(report(sample_violation("w")), MetaTensorError);
}

TEST_F(Actions, ReportLeavesTheCallToLibTorch) {
  use_log("action=report");
  const auto weight = [] {
    metasan::InitEmptyWeights scope;
    return torch::empty({4, 4});
  }();
  const auto result = torch::mm(weight, torch::ones({4, 4}));
  EXPECT_TRUE(result.is_meta());
  EXPECT_THAT(read(log_file()), HasSubstr("meta-mixed"));
  // LibTorch's own error, after the report.
  EXPECT_THROW(weight.cpu(), c10::NotImplementedError);
  EXPECT_THAT(read(log_file()), HasSubstr("meta-copy-out"));
}

TEST_F(Actions, WarningsArePrintedAndNeverThrown) {
  for (const auto* action : {"throw", "abort", "report", "heal"}) {
    use_log(std::string("action=") + action);
    EXPECT_NO_THROW(report(sample_violation("w", Rule::ScopeMisuse)));
  }
  EXPECT_EQ(count_of(read(log_file()), "==WARNING: MetaSan: scope-misuse"), 4U);
}

TEST_F(Actions, HealingsArePrinted) {
  use_log("action=heal");
  metasan::report::report_healed(sample_violation("w"), "loaded 'w' from model.safetensors");
  EXPECT_THAT(read(log_file()), HasSubstr("\n  healed    loaded 'w' from model.safetensors\n"));
}

TEST_F(Actions, AFileThatCannotBeOpenedIsSaidOnce) {
  use("action=report:exitcode=0:deduplicate=0:log_path=/nowhere/log");
  testing::internal::CaptureStderr();
  report(sample_violation("a"));
  report(sample_violation("b"));
  const auto text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(count_of(text, "cannot open '/nowhere/log."), 1U);
  EXPECT_EQ(count_of(text, "SUMMARY"), 2U);
}

TEST_F(Actions, ColorOnlyWhereItIsAskedFor) {
  use_log("action=report:color=auto");
  report(sample_violation("w"));
  EXPECT_EQ(count_of(read(log_file()), "\x1b"), 0U);
  use_log("action=report:color=always");
  report(sample_violation("w"));
  EXPECT_GT(count_of(read(log_file()), "\x1b[1;31m=="), 0U);
}

TEST_F(Actions, ATerminalIsWrittenToInColor) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(grantpt(terminal) + unlockpt(terminal), 0);
  const int end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  setenv("TERM", "xterm", /*replace=*/1);
  use("action=report:exitcode=0:deduplicate=0:stack_depth=1");
  const int standard_error = dup(STDERR_FILENO);
  dup2(end, STDERR_FILENO);
  report(sample_violation("w"));
  dup2(standard_error, STDERR_FILENO);
  std::array<char, 64> text = {};
  EXPECT_GT(::read(terminal, text.data(), text.size() - 1), 0);
  EXPECT_THAT(text.data(), StartsWith("\x1b[1;31m=="));
  for (const int file : {terminal, end, standard_error}) {
    close(file);
  }
}

TEST_F(Actions, TheLogMayBeStandardOutput) {
  use("action=report:exitcode=0:deduplicate=0:log_path=stdout");
  testing::internal::CaptureStdout();
  report(sample_violation("w"));
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("SUMMARY: MetaSan: meta-mixed w"));
}

TEST_F(Actions, AForkedProcessHasALogOfItsOwn) {
  use_log("action=report");
  report(sample_violation("parent"));
  const auto child = fork();
  if (child == 0) {
    report(sample_violation("child"));
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  const auto file_of_child = log_path() + "." + std::to_string(child);
  EXPECT_THAT(read(file_of_child), HasSubstr("meta-mixed child"));
  EXPECT_EQ(count_of(read(log_file()), "SUMMARY"), 1U);
  std::filesystem::remove(file_of_child);
}

TEST_F(Actions, OnePlaceIsPrintedOnce) {
  use("action=report:exitcode=0:log_path='" + log_path() + "'");
  for (int i = 0; i < 5; ++i) {
    report(sample_violation("w" + std::to_string(i)));
  }
  report(sample_violation("w"));
  report(sample_violation("w", Rule::MetaCopyOut));
  EXPECT_EQ(count_of(read(log_file()), "SUMMARY"), 3U);
}

using ActionsDeathTest = Actions;

TEST_F(ActionsDeathTest, AbortPrintsAndEndsTheProcess) {
  EXPECT_EXIT(
      {
        use("action=abort");
        report(sample_violation("w"));
      },
      ExitedWithCode(1), "ERROR: MetaSan: meta-mixed(.|\n)*SUMMARY(.|\n)*==ABORTING");
  EXPECT_EXIT(
      {
        use("action=abort:exitcode=42");
        raise(sample_violation("w"));
      },
      ExitedWithCode(42), "==ABORTING");
}

TEST_F(ActionsDeathTest, TheExitCodeSaysThatErrorsWereReported) {
  const auto run = [](const char* options, Rule rule) {
    use(options);
    report(sample_violation("w", rule));
    std::exit(3);
  };
  EXPECT_EXIT(run("action=report:exitcode=7", Rule::MetaMixed), ExitedWithCode(7), "SUMMARY");
  EXPECT_EXIT(run("action=report:exitcode=0", Rule::MetaMixed), ExitedWithCode(3), "SUMMARY");
  EXPECT_EXIT(run("action=report:exitcode=7", Rule::ScopeMisuse), ExitedWithCode(3), "SUMMARY");
}

TEST_F(ActionsDeathTest, TheEndOfTheProcessSaysWhatWasLeftOut) {
  EXPECT_EXIT(
      {
        use("action=report:verbosity=1");
        for (int i = 0; i < 3; ++i) {
          report(sample_violation("w"));
        }
        std::exit(0);
      },
      ExitedWithCode(1),
      "MetaSan: 2 further reports of the same place: meta-mixed w .*actions_test.cpp:[0-9]+ in "
      "(.|\n)*MetaSan: 3 errors, 0 warnings, 0 healed, 0 suppressed");
}

TEST_F(ActionsDeathTest, SuppressedCallsGoOnAndAreCounted) {
  const auto file = json_file();
  std::ofstream(file) << "meta-mixed:^encoder.*bias$\n*:no_such_function\n";
  EXPECT_EXIT(
      {
        use("action=abort:suppressions='" + file + "'");
        report(sample_violation("encoder.bias"));
        report(sample_violation("encoder.0.bias"));
        std::exit(5);
      },
      ExitedWithCode(5),
      "MetaSan: suppressions used:\n     count rule:pattern\n         2 "
      "meta-mixed:\\^encoder.*bias\\$");
}

TEST_F(Actions, SuppressionsLookAtNamesFunctionsFilesAndOperators) {
  const auto is_suppressed = [](const std::string& line) {
    std::ofstream(json_file()) << line << '\n';
    use("suppressions='" + json_file() + "'");
    try {
      report(sample_violation("head.weight"));
      return true;
    } catch (const MetaTensorError&) {
      return false;
    }
  };
  EXPECT_TRUE(is_suppressed("meta-mixed:head.*"));
  EXPECT_TRUE(is_suppressed("*:SuppressionsLookAtNames"));
  EXPECT_TRUE(is_suppressed("*:report/actions_test.cpp"));
  EXPECT_TRUE(is_suppressed("*:^aten::mm$"));
  EXPECT_FALSE(is_suppressed("meta-copy-out:head.*"));
  EXPECT_FALSE(is_suppressed("*:^head$"));
}

TEST_F(Actions, WhatIsSuppressedStillStopsWhatCannotGoOn) {
  std::ofstream(json_file()) << "*:*\n";
  use("suppressions='" + json_file() + "'");
  EXPECT_THROW(raise(sample_violation("w")), MetaTensorError);
}

}  // namespace
