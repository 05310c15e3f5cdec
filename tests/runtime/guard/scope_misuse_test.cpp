// Scopes that cover too little or too much: warnings, after which the program goes on.
#include <metasan/metasan.h>

#include <gmock/gmock.h>
#include <torch/torch.h>

namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// What is printed while `run` runs.
template <typename Run>
std::string printed_by(Run&& run) {
  testing::internal::CaptureStderr();
  run();
  return testing::internal::GetCapturedStderr();
}

TEST(ScopeMisuse, AnUnnamedScopeIsWarnedOf) {
  torch::nn::Linear layer{nullptr};
  const auto text = printed_by([&] {
    metasan::InitEmptyWeights{};
    layer = torch::nn::Linear(2, 2);
  });
  EXPECT_THAT(text, HasSubstr("WARNING: MetaSan: scope-misuse"));
  EXPECT_THAT(text, HasSubstr("scope_misuse_test.cpp:"));
  EXPECT_THAT(text, HasSubstr("ended before anything was made in it"));
  EXPECT_EQ(metasan::state_of(layer), metasan::State::Materialized);
}

TEST(ScopeMisuse, AScopeThatWasUsedIsNot) {
  EXPECT_THAT(printed_by([] {
                metasan::InitEmptyWeights scope;
                torch::nn::Linear layer(2, 2);
              }),
              IsEmpty());
}

TEST(ScopeMisuse, AModuleWithoutTensorsIsNotEither) {
  EXPECT_THAT(printed_by([] { metasan::init_empty_weights([] { return torch::nn::ReLU(); }); }),
              IsEmpty());
}

TEST(ScopeMisuse, NorIsABuilderThatThrows) {
  EXPECT_THAT(printed_by([] {
                try {
                  metasan::InitEmptyWeights scope;
                  throw std::runtime_error("no such configuration");
                } catch (const std::runtime_error&) {
                }
              }),
              IsEmpty());
}

}  // namespace
