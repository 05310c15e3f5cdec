// Which dtype a loaded tensor has, and which conversions are refused.
#include <metasan/empty_init.h>

#include "tests/runtime/checkpoint/expect_error.h"
#include "tests/runtime/load/support.h"

namespace metasan::testing {
namespace {

struct OneTensor : torch::nn::Module {
  explicit OneTensor(c10::ScalarType dtype) {
    tensor = register_buffer("tensor", torch::zeros({3}, dtype));
  }
  at::Tensor tensor;
};

class Dtypes : public ::testing::Test {
 protected:
  /// Loads `values` into a tensor of dtype `declared`.
  at::Tensor load(c10::ScalarType declared, const at::Tensor& values,
                  const LoadOptions& options = {}) {
    const auto path = directory_.write("model.safetensors", safetensors_of({{"tensor", values}}));
    const auto model = init_empty_weights([&] { return std::make_shared<OneTensor>(declared); });
    report_ = load_checkpoint_in_model(model, path, options);
    return model->tensor;
  }

  TempDirectory directory_;
  LoadReport report_;
  const at::Tensor values_ = torch::tensor({0.5, 1.0, -2.0});
};

TEST_F(Dtypes, FloatsTakeTheDtypeOfTheModule) {
  const auto loaded = load(torch::kFloat, values_.to(torch::kBFloat16));
  EXPECT_EQ(loaded.scalar_type(), torch::kFloat);
  EXPECT_TRUE(torch::equal(loaded, values_));
  ASSERT_EQ(report_.casts.size(), 1U);
  EXPECT_EQ(report_.casts[0].name, "tensor");
  EXPECT_EQ(report_.casts[0].from, torch::kBFloat16);
  EXPECT_EQ(report_.casts[0].to, torch::kFloat);
  EXPECT_EQ(report_.bytes_mapped, 0U);
}

TEST_F(Dtypes, FloatsTakeTheDtypeOfTheOptions) {
  EXPECT_EQ(load(torch::kFloat, values_, {.dtype = torch::kHalf}).scalar_type(), torch::kHalf);
}

TEST_F(Dtypes, FloatsTakeTheDtypeOfTheCheckpoint) {
  const auto loaded = load(torch::kFloat, values_.to(torch::kHalf), {.checkpoint_dtype = true});
  EXPECT_EQ(loaded.scalar_type(), torch::kHalf);
  EXPECT_EQ(report_.bytes_mapped, report_.bytes);
}

TEST_F(Dtypes, EightBitFloats) {
  const auto stored = values_.to(torch::kFloat8_e4m3fn);
  EXPECT_EQ(load(torch::kFloat, stored, {.checkpoint_dtype = true}).scalar_type(),
            torch::kFloat8_e4m3fn);
  EXPECT_TRUE(torch::equal(load(torch::kFloat, stored), values_));
}

TEST_F(Dtypes, IntegersAndBoolsIgnoreTheDtypeOption) {
  EXPECT_EQ(load(torch::kLong, torch::arange(3), {.dtype = torch::kHalf}).scalar_type(),
            torch::kLong);
  EXPECT_EQ(
      load(torch::kBool, torch::ones({3}, torch::kBool), {.dtype = torch::kHalf}).scalar_type(),
      torch::kBool);
}

TEST_F(Dtypes, IntegersAreWidened) {
  const auto loaded = load(torch::kLong, torch::arange(3, torch::kInt));
  EXPECT_EQ(loaded.scalar_type(), torch::kLong);
  EXPECT_TRUE(torch::equal(loaded, torch::arange(3)));
  EXPECT_EQ(report_.casts.size(), 1U);
}

TEST_F(Dtypes, ConversionsThatCanLoseValuesAreRefused) {
  const std::vector<std::pair<c10::ScalarType, c10::ScalarType>> declared_and_stored = {
      {torch::kInt, torch::kLong},           {torch::kFloat, torch::kLong},
      {torch::kLong, torch::kFloat},         {torch::kBool, torch::kByte},
      {torch::kUInt16, torch::kChar},        {torch::kByte, torch::kBool},
      {torch::kByte, torch::kChar},          {torch::kFloat, torch::kComplexFloat},
      {torch::kComplexFloat, torch::kFloat},
  };
  for (const auto& [declared, stored] : declared_and_stored) {
    expect_checkpoint_error(
        [&, d = declared, s = stored] { load(d, torch::ones({3}, torch::kByte).to(s)); },
        CheckpointErrorCode::Mismatch, {"'tensor'", "conversion could change its values"});
  }
}

}  // namespace
}  // namespace metasan::testing
