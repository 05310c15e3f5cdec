// Tests that expect the error, and tests of shapes alone.
#include <gtest/gtest.h>
#include <torch/torch.h>

namespace expected_errors {

TEST(MetaTensor, HasNoValues) {
  auto t = torch::empty({2, 3}, torch::kMeta);
  EXPECT_THROW(t.item(), c10::Error);
  EXPECT_THROW(t.to(torch::kCPU), c10::Error);
  EXPECT_ANY_THROW(std::cout << t.sum().item<float>());
  ASSERT_THROW({ torch::allclose(t, t); }, c10::Error);
  EXPECT_ANY_THROW({
    auto u = t + 1;
    u.cpu();
  });
}
TEST(MetaTensor, AccessorNeedsData) {
  auto t = torch::empty({2, 3}, torch::TensorOptions(torch::kFloat).device(torch::kMeta));
  EXPECT_THROW((t.accessor<float, 2>()), c10::Error);
}
TEST(MetaTensor, Shapes) {
  auto a = torch::ones({4, 3}), b = torch::ones({3, 5});
  auto meta = at::mm(a.to(torch::kMeta), b.to(torch::kMeta));
  auto real = at::mm(a, b);
  EXPECT_TRUE(meta.is_meta());
  EXPECT_EQ(meta.sizes(), real.sizes());
  EXPECT_EQ(meta.dtype(), real.dtype());
  EXPECT_EQ(meta.device(), torch::Device(torch::kMeta));
  EXPECT_NE(meta.device(), real.device());
}
TEST(MetaTensor, CaughtByHand) {
  auto t = torch::empty({1}, torch::kMeta);
  bool thrown = false;
  try {
    t.item(); // NOLINT(metasan-meta-data-dependent): the error is what is tested
  } catch (const c10::Error& error) {
    thrown = std::string(error.what()).find("meta") != std::string::npos;
  }
  EXPECT_TRUE(thrown);
}

class Shapes : public ::testing::TestWithParam<std::vector<int64_t>> {
 protected:
  void SetUp() override { input_ = torch::randn(GetParam()); }
  torch::Tensor input_;
};
TEST_P(Shapes, OfRelu) {
  auto meta = torch::relu(input_.to(torch::kMeta));
  auto real = torch::relu(input_);
  ASSERT_EQ(meta.sizes(), real.sizes());
  ASSERT_TRUE(torch::equal(real, input_.clamp_min(0)));
}
INSTANTIATE_TEST_SUITE_P(All, Shapes, ::testing::Values(std::vector<int64_t>{2}, std::vector<int64_t>{2, 3}));

} // namespace expected_errors
