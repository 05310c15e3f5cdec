// The patterns of LoadOptions and the hint about prefixes.
#include "runtime/load/patterns.h"
#include "runtime/load/prefix_hint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace metasan::load {
namespace {

bool matches(std::string_view name, std::string pattern) {
  return matches_any(name, std::vector{std::move(pattern)});
}

TEST(Patterns, AStarStandsForAnyRun) {
  EXPECT_TRUE(matches("a.b.c", "a.b.c"));
  EXPECT_TRUE(matches("a.b.c", "*"));
  EXPECT_TRUE(matches("a.b.c", "a.*"));
  EXPECT_TRUE(matches("a.b.c", "*.c"));
  EXPECT_TRUE(matches("a.b.c", "a*b*c"));
  EXPECT_TRUE(matches("ababab", "*ab"));
  EXPECT_TRUE(matches("", "*"));
  EXPECT_FALSE(matches("a.b.c", "a.b"));
  EXPECT_FALSE(matches("a.b.c", "b.*"));
  EXPECT_FALSE(matches("a.b.c", ""));
  EXPECT_FALSE(matches_any("a", {}));
}

TEST(Patterns, ManyStarsAreNotExponential) {
  EXPECT_FALSE(matches(std::string(2000, 'a'), "*a*a*a*a*a*a*a*a*a*a*a*ab"));
}

TEST(PrefixHint, IsSilentWhenFewNamesWouldMatch) {
  const std::vector<std::string> missing = {"weight", "a", "b", "c"};
  const std::vector<std::string> unexpected = {"x.weight", "y", "z"};
  EXPECT_EQ(prefix_hint(missing, unexpected), "");
  EXPECT_EQ(prefix_hint({}, unexpected), "");
}

TEST(PrefixHint, FindsAPrefixOfSeveralComponents) {
  const std::vector<std::string> missing = {"layer.weight", "layer.bias"};
  const std::vector<std::string> unexpected = {"base.model.layer.weight", "base.model.layer.bias"};
  EXPECT_THAT(prefix_hint(missing, unexpected),
              ::testing::HasSubstr("2 of the 2 missing names match when 'base.model.'"));
}

}  // namespace
}  // namespace metasan::load
