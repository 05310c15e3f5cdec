// Suppressions files: what their lines match, and what is wrong with a file.
#include "runtime/options/suppressions.h"

#include <gmock/gmock.h>

#include <fstream>
#include <stdexcept>

namespace metasan {
namespace {

using testing::EndsWith;

class SuppressionsFile : public testing::Test {
 protected:
  Suppressions read(const std::string& text) {
    std::ofstream(path) << text;
    return Suppressions(path);
  }
  std::string error_of(const std::string& text) {
    try {
      read(text);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    ADD_FAILURE() << "no error: " << text;
    return {};
  }
  static bool match(const Suppressions& suppressions, Rule rule, std::string_view text) {
    return suppressions.match(rule, {&text, 1});
  }

  const std::string path =
      testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST(SuppressionPattern, IsFoundAnywhereUnlessAnchored) {
  EXPECT_TRUE(pattern_matches("layer", "encoder.layer.0.weight"));
  EXPECT_TRUE(pattern_matches("layer.*.weight", "encoder.layer.0.weight"));
  EXPECT_FALSE(pattern_matches("layer.*.bias", "encoder.layer.0.weight"));
  EXPECT_FALSE(pattern_matches("^layer", "encoder.layer.0.weight"));
  EXPECT_TRUE(pattern_matches("^encoder*weight$", "encoder.layer.0.weight"));
  EXPECT_TRUE(pattern_matches("^head$", "head"));
  EXPECT_FALSE(pattern_matches("^head$", "head.head"));
  EXPECT_FALSE(pattern_matches("^a*ba$", "aba.a"));
  EXPECT_FALSE(pattern_matches("ab*b$", "ab"));
  EXPECT_TRUE(pattern_matches("*", ""));
}

TEST_F(SuppressionsFile, ALineIsAboutOneRuleOrAll) {
  const auto suppressions = read("# ours\n\nmeta-copy-out:head.*\n  *:third_party/  \r\n");
  EXPECT_TRUE(match(suppressions, Rule::MetaCopyOut, "head.weight"));
  EXPECT_FALSE(match(suppressions, Rule::MetaMixed, "head.weight"));
  EXPECT_TRUE(match(suppressions, Rule::MetaMixed, "/src/third_party/a.cpp"));
}

TEST_F(SuppressionsFile, UsesAreCounted) {
  const auto suppressions = read("*:a\n*:b\n");
  match(suppressions, Rule::MetaMixed, "b");
  match(suppressions, Rule::MetaMixed, "b");
  EXPECT_EQ(suppressions.lines()[0].uses, 0U);
  EXPECT_EQ(suppressions.lines()[1].uses, 2U);
  EXPECT_EQ(suppressions.lines()[1].to_string(), "*:b");
}

TEST_F(SuppressionsFile, AnErrorHasItsLineAndTheNearestRule) {
  EXPECT_EQ(error_of("# one\nmeta-copyout:x\n"),
            path + ":2: no rule is called 'meta-copyout'; did you mean 'meta-copy-out'?");
  EXPECT_THAT(error_of("head.weight\n"),
              EndsWith(":1: 'head.weight' is not of the form rule:pattern, or *:pattern"));
  EXPECT_THAT(error_of("meta-mixed:\n"),
              EndsWith(":1: 'meta-mixed:' is not of the form rule:pattern, or *:pattern"));
}

TEST(Suppressions, AFileThatIsNotThereIsAnError) {
  EXPECT_THROW(Suppressions("/nowhere/suppressions"), std::invalid_argument);
}

}  // namespace
}  // namespace metasan
