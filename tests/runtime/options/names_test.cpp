// The names that messages suggest and how they show them.
#include "runtime/options/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace metasan {
namespace {

const std::vector<std::string_view> kNames = {"bert.encoder.weight", "bert.encoder.bias",
                                              "pooler.dense.weight"};

TEST(NearestName, PrefersTheSameNameUnderAPrefix) {
  EXPECT_EQ(nearest_name("encoder.weight", kNames), "bert.encoder.weight");
  EXPECT_EQ(nearest_name("model.pooler.dense.weight", kNames), "pooler.dense.weight");
}

TEST(NearestName, FindsTypos) {
  EXPECT_EQ(nearest_name("bert.encodr.bais", kNames), "bert.encoder.bias");
}

TEST(NearestName, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("vision_tower.patch_embedding", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("x", {}), std::nullopt);
}

TEST(EditDistance, CountsInsertionsDeletionsAndReplacements) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("same", "same"), 0U);
}

TEST(QuoteList, CutsLongListsWithACount) {
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  EXPECT_EQ(quote_list(names, 2), "'a', 'b' and 2 more");
  EXPECT_EQ(quote_list(names, 4), "'a', 'b', 'c', 'd'");
}

TEST(Quote, EscapesControlCharactersAndCutsLongNames) {
  EXPECT_EQ(quote("a\nb"), "'a\\x0ab'");
  EXPECT_EQ(quote(std::string(300, 'x')).size(), 205U);
}

}  // namespace
}  // namespace metasan
