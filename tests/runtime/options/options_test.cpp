// METASAN_OPTIONS: the table, its texts and its errors.
#include <metasan/options.h>

#include "runtime/options/settings.h"

#include <gmock/gmock.h>

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

namespace metasan {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string error_of(std::string_view text) {
  try {
    parse_options(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error: " << text;
  return {};
}

TEST(Options, DefaultsAreThoseOfTheTable) {
  const Options defaults;
  EXPECT_EQ(defaults.action, Action::Throw);
  EXPECT_EQ(defaults.exitcode, 1);
  EXPECT_EQ(defaults.log_path, "stderr");
  EXPECT_TRUE(defaults.deduplicate);
  EXPECT_TRUE(defaults.guard_meta);
  EXPECT_FALSE(defaults.track_all);
  EXPECT_FALSE(defaults.track_empty);
  EXPECT_EQ(parse_options(""), defaults);
}

TEST(Options, EveryTypeIsRead) {
  const auto parsed = parse_options(
      "action=report:exitcode=0:log_path=/tmp/log:color=always:poison=nan:track_all=true:"
      "guard_meta=0:stack_depth=7");
  EXPECT_EQ(parsed.action, Action::Report);
  EXPECT_EQ(parsed.exitcode, 0);
  EXPECT_EQ(parsed.log_path, "/tmp/log");
  EXPECT_EQ(parsed.color, Color::Always);
  EXPECT_EQ(parsed.poison, Poison::Nan);
  EXPECT_TRUE(parsed.track_all);
  EXPECT_FALSE(parsed.guard_meta);
  EXPECT_EQ(parsed.stack_depth, 7);
}

TEST(Options, QuotesKeepColons) {
  EXPECT_EQ(parse_options("log_path='c:/log':verbosity=1").log_path, "c:/log");
  EXPECT_EQ(parse_options(R"(log_path="a'b":verbosity=2)").verbosity, 2);
}

TEST(Options, EmptyParts) {
  EXPECT_EQ(parse_options("::verbosity=1::").verbosity, 1);
  EXPECT_EQ(parse_options("json=").json, "");
}

TEST(Options, TheLastOneOfTheSameNameHolds) {
  EXPECT_EQ(parse_options("verbosity=1:verbosity=2").verbosity, 2);
}

TEST(Options, TheBaseHoldsForWhatIsLeftOut) {
  Options base;
  base.verbosity = 3;
  EXPECT_EQ(parse_options("color=never", base).verbosity, 3);
}

TEST(Options, AnUnknownOneSuggestsTheNearest) {
  EXPECT_EQ(error_of("acton=throw"), "no option is called 'acton'; did you mean 'action'?");
  EXPECT_EQ(error_of("halt_on_error=1"), "no option is called 'halt_on_error'; help=1 lists them");
}

TEST(Options, ABadValueNamesTheGoodOnes) {
  EXPECT_EQ(error_of("action=warn"),
            "option 'action' cannot be 'warn'; expected throw|report|abort|heal");
  EXPECT_EQ(error_of("deduplicate=maybe"), "option 'deduplicate' cannot be 'maybe'; expected 0|1");
  EXPECT_EQ(error_of("verbosity=-1"), "option 'verbosity' cannot be '-1'; expected number");
  EXPECT_EQ(error_of("verbosity=1x"), "option 'verbosity' cannot be '1x'; expected number");
  EXPECT_EQ(error_of("verbosity=99999999999"),
            "option 'verbosity' cannot be '99999999999'; expected number");
}

TEST(Options, WhatIsNoOption) {
  EXPECT_EQ(error_of("report"), "'report' is not of the form option=value");
  EXPECT_EQ(error_of("json='x"), "a quote is not closed: 'x");
  EXPECT_EQ(error_of("json='x'y"), "expected ':' after a quote, found 'y'");
}

TEST(Options, ThoseSetInCodeHoldUntilOthersAre) {
  auto changed = options();
  changed.verbosity = 5;
  set_options(changed);
  EXPECT_EQ(options().verbosity, 5);
  set_options({});
  EXPECT_EQ(options(), Options());
}

TEST(Options, ASnapshotOutlivesAChange) {
  set_options({});
  const auto& before = options();
  auto changed = before;
  changed.exitcode = 7;
  set_options(changed);
  EXPECT_EQ(before.exitcode, 1);
  set_options({});
  EXPECT_EQ(&options(), &before) << "options that hold again take no more memory";
}

TEST(Options, WhatIsOutOfRangeChangesNothing) {
  const auto before = options();
  auto changed = before;
  changed.stack_depth = 0;
  EXPECT_THROW(set_options(changed), std::invalid_argument);
  changed = before;
  changed.exitcode = 256;
  EXPECT_THROW(set_options(changed), std::invalid_argument);
  changed = before;
  changed.suppressions = "/nowhere/suppressions";
  EXPECT_THROW(set_options(changed), std::invalid_argument);
  EXPECT_EQ(options(), before);
}

TEST(Options, HelpHasEachWithDefaultAndHelp) {
  const auto help = options_help();
  for (const auto& option : option_infos()) {
    EXPECT_THAT(help, HasSubstr("  " + std::string(option.name) + "=" + option.values));
  }
  EXPECT_THAT(help, HasSubstr("  action=throw|report|abort|heal  (default: throw)\n      what a "
                              "violation does"));
  EXPECT_THAT(help, HasSubstr("  json=text  (default: none)\n"));
}

/// What this program prints, and how it ends, when it starts with these options.
struct Start {
  std::string output;
  int status;
};
Start start_with(const std::string& options) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto command =
      "METASAN_OPTIONS='" + options + "' '" + self + "' --gtest_filter=Options.EmptyParts 2>&1";
  auto* pipe = popen(command.c_str(), "r");
  Start start;
  std::array<char, 4096> buffer;
  while (const auto size = fread(buffer.data(), 1, buffer.size(), pipe)) {
    start.output.append(buffer.data(), size);
  }
  start.status = WEXITSTATUS(pclose(pipe));
  return start;
}

TEST(OptionsAtStart, AnErrorEndsTheProcessBeforeMain) {
  const auto start = start_with("acton=throw");
  EXPECT_EQ(start.output,
            "MetaSan: METASAN_OPTIONS: no option is called 'acton'; did you mean 'action'?\n");
  EXPECT_EQ(start.status, 1);
}

TEST(OptionsAtStart, SuppressionsAreRead) {
  EXPECT_EQ(start_with("suppressions=/nowhere/list").output,
            "MetaSan: METASAN_OPTIONS: cannot read the suppressions file '/nowhere/list'\n");
}

TEST(OptionsAtStart, HelpIsPrintedAndTheProgramGoesOn) {
  const auto start = start_with("help=1");
  EXPECT_THAT(start.output, StartsWith(options_help()));
  EXPECT_THAT(start.output, HasSubstr("1 test from Options"));
  EXPECT_EQ(start.status, 0);
}

}  // namespace
}  // namespace metasan
