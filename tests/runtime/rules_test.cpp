// Every rule that the runtime has: what breaks it is thrown, and with action=abort ends the
// process.
#include <metasan/metasan.h>

#include "tests/runtime/guard/expect_report.h"
#include "tests/runtime/load/support.h"
#include "tests/support/fake_device.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>

namespace metasan::testing {
namespace {

using ::testing::ExitedWithCode;
using ::testing::HasSubstr;
using ::testing::KilledBySignal;

TwoLayers empty_layers() {
  return init_empty_weights([] { return TwoLayers(); });
}

struct Misuse {
  Rule rule;
  void (*commit)();
};

void copy_out() {
  empty_layers()->to(torch::kCPU);
}

void read_values() {
  (void)empty_layers()->first->weight.nonzero();
}

void access_memory() {
  (void)empty_layers()->first->weight.data_ptr<float>();
}

void write_into_nothing() {
  const torch::NoGradGuard no_grad;
  empty_layers()->first->weight.copy_(torch::ones({3, 2}));
}

void mix() {
  (void)empty_layers()->forward(torch::ones({1, 2}));
}

void save_nothing() {
  std::ostringstream file;
  torch::save(empty_layers(), file);
}

void read_unwritten_memory() {
  const auto model = empty_layers();
  to_empty(model, torch::kCPU);
  (void)model->first->weight.sum();
}

void dispatch_nothing() {
  dispatch_model(empty_layers(), torch::kCPU);
}

void move_what_is_placed() {
  TwoLayers model;
  dispatch_model(model, torch::kCPU);
  model->to(kFakeDevice);
}

void open_unnamed_scope() {
  InitEmptyWeights{};
}

void load_too_little() {
  const TempDirectory directory;
  const auto path = directory.write("model.safetensors", safetensors_of({}));
  load_checkpoint_in_model(empty_layers(), path, {.strict = false});
}

constexpr auto kMisuses = std::to_array<Misuse>({
    {Rule::MetaCopyOut, copy_out},
    {Rule::MetaDataDependent, read_values},
    {Rule::MetaRawAccess, access_memory},
    {Rule::MetaWriteLost, write_into_nothing},
    {Rule::MetaMixed, mix},
    {Rule::MetaSaved, save_nothing},
    {Rule::UninitializedRead, read_unwritten_memory},
    {Rule::DispatchWithoutWeights, dispatch_nothing},
    {Rule::MoveAfterDispatch, move_what_is_placed},
    {Rule::ScopeMisuse, open_unnamed_scope},
    {Rule::WeightsMissing, load_too_little},
});

/// LibTorch throws the error of a raw access, whatever the options say.
bool thrown_by_libtorch(Rule rule) {
  return rule == Rule::MetaRawAccess;
}

class Rules : public ::testing::TestWithParam<Misuse> {
 protected:
  Rules() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    set_options(parse_options("deduplicate=0"));
  }
  ~Rules() override { set_options({}); }

  std::string header() const {
    const auto& rule = info(GetParam().rule);
    const auto* severity = rule.severity == Severity::Error ? "ERROR" : "WARNING";
    return std::string(severity) + ": MetaSan: " + std::string(rule.id);
  }
};

TEST_P(Rules, WhatBreaksOneIsThrownOrWarnedOf) {
  const auto [rule, commit] = GetParam();
  ::testing::internal::CaptureStderr();
  std::string text;
  if (info(rule).severity == Severity::Warning) {
    commit();
  } else if (thrown_by_libtorch(rule)) {
    try {
      commit();
    } catch (const c10::Error& error) {
      text = error.what();
    }
  } else {
    text = report_of(rule, commit);
  }
  text += ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr(header()));
}

TEST_P(Rules, WithActionAbortItEndsTheProcess) {
  const auto [rule, commit] = GetParam();
  constexpr int kStatus = 23;
  std::function<bool(int)> as_expected = ExitedWithCode(kStatus);
  if (info(rule).severity == Severity::Warning) {
    as_expected = ExitedWithCode(0);
  } else if (thrown_by_libtorch(rule)) {
    as_expected = KilledBySignal(SIGABRT);  // as by any error that is not caught
  }
  const auto run = [commit = commit]() noexcept {
    set_options(parse_options("action=abort:exitcode=" + std::to_string(kStatus)));
    commit();
    std::_Exit(0);
  };
  EXPECT_EXIT(run(), as_expected, header());
}

INSTANTIATE_TEST_SUITE_P(All, Rules, ::testing::ValuesIn(kMisuses), [](const auto& test) {
  std::string name(metasan::info(test.param.rule).id);
  std::erase(name, '-');
  return name;
});

TEST(RulesOfTheRuntime, AllHaveATest) {
  for (const auto& rule : kRules) {
    const auto breaks_it = [&](const Misuse& misuse) { return misuse.rule == rule.rule; };
    EXPECT_EQ(std::any_of(kMisuses.begin(), kMisuses.end(), breaks_it), rule.in_runtime) << rule.id;
  }
}

}  // namespace
}  // namespace metasan::testing
