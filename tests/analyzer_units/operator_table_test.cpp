// The table of operators, asked by the names that code has. What is in the generated part is
// compared with LibTorch by tests/operator_table.
#include "torch_model/OperatorTable.h"

#include <gtest/gtest.h>

namespace metasan::analysis {
namespace {

TEST(OperatorTable, DataDependent) {
  for (const char* name :
       {"item", "masked_select", "nonzero_out", "nonzero_outf", "is_nonzero", "operator<<"}) {
    EXPECT_TRUE(traitsOf(name).DataDependent) << name;
  }
  for (const char* name : {"add", "index", "one_hot", "repeat_interleave", "operator+", ""}) {
    EXPECT_FALSE(traitsOf(name).DataDependent) << name;
  }
}

TEST(OperatorTable, Random) {
  for (const char* name : {"rand", "randn_like", "normal_", "dropout", "bernoulli_out"}) {
    EXPECT_TRUE(traitsOf(name).Random) << name;
  }
  for (const char* name : {"zeros", "fill_", "arange"}) {
    EXPECT_FALSE(traitsOf(name).Random) << name;
  }
}

TEST(OperatorTable, Views) {
  for (const char* name : {"view", "t", "select", "chunk", "detach", "contiguous"}) {
    EXPECT_TRUE(traitsOf(name).View) << name;
  }
  for (const char* name : {"clone", "add", "add_", "squeeze_"}) {
    EXPECT_FALSE(traitsOf(name).View) << name;
  }
}

TEST(OperatorTable, Writes) {
  for (const char* name : {"add_", "copy_", "set_data", "__iand__"}) {
    EXPECT_TRUE(traitsOf(name).Writes) << name;
  }
  for (const char* name : {"add", "add_out", "__and__", "to"}) {
    EXPECT_FALSE(traitsOf(name).Writes) << name;
  }
}

TEST(OperatorTable, NeedsOnlyMetadata) {
  for (const char* name : {"expand_as", "zeros_like", "new_empty", "to", "set_data"}) {
    EXPECT_TRUE(traitsOf(name).NeedsOnlyMetadata) << name;
  }
  for (const char* name : {"add", "like", "renew_", "copy_"}) {
    EXPECT_FALSE(traitsOf(name).NeedsOnlyMetadata) << name;
  }
}

}  // namespace
}  // namespace metasan::analysis
