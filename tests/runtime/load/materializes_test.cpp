// After a load the module computes with the weights, and everything that held its tensors before
// sees them.
#include <metasan/empty_init.h>

#include "tests/runtime/load/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace metasan::testing {
namespace {

class Load : public ::testing::Test {
 protected:
  Load() {
    torch::manual_seed(0);
    reference_ = TwoLayers();
    path_ =
        directory_.write("model.safetensors", safetensors_of(guard::named_tensors(*reference_)));
  }
  static TwoLayers empty() {
    return init_empty_weights([] { return TwoLayers(); });
  }

  TempDirectory directory_;
  TwoLayers reference_{nullptr};
  std::filesystem::path path_;
};

TEST_F(Load, GivesAnEmptyModuleTheWeights) {
  TwoLayers model = empty();
  const LoadReport report = load_checkpoint_in_model(model, path_);
  EXPECT_EQ(state_of(model), State::Materialized);
  const auto x = torch::randn({4, 2});
  EXPECT_TRUE(torch::equal(model->forward(x), reference_->forward(x)));
  EXPECT_THAT(report.loaded,
              ::testing::ElementsAre("first.bias", "first.weight", "second.bias", "second.weight"));
  EXPECT_THAT(report.missing, ::testing::IsEmpty());
  EXPECT_THAT(report.unexpected, ::testing::IsEmpty());
  EXPECT_THAT(report.casts, ::testing::IsEmpty());
  EXPECT_EQ(report.bytes, 17U * 4);
}

TEST_F(Load, ReplacesTheWeightsOfAnOrdinaryModule) {
  TwoLayers model;
  load_checkpoint_in_model(*model, path_);
  EXPECT_TRUE(torch::equal(model->first->weight, reference_->first->weight));
}

TEST_F(Load, TakesASharedPtrToTheModule) {
  auto model = std::make_shared<TwoLayersImpl>();
  load_checkpoint_in_model(model, path_);
  EXPECT_TRUE(torch::equal(model->first->weight, reference_->first->weight));
}

TEST_F(Load, SharesTheMappingWhenAligned) {
  TwoLayers model = empty();
  const LoadReport report = load_checkpoint_in_model(model, path_);
  EXPECT_EQ(report.bytes_mapped, report.bytes);
}

TEST_F(Load, CopiesWhatIsNotAligned) {
  const auto path = directory_.write(
      "odd.safetensors", safetensors_of(guard::named_tensors(*reference_), /*misalign=*/true));
  TwoLayers model = empty();
  const LoadReport report = load_checkpoint_in_model(model, path);
  EXPECT_EQ(report.bytes_mapped, 0U);
  EXPECT_TRUE(torch::equal(model->second->weight, reference_->second->weight));
}

TEST_F(Load, WeightsOutliveTheFileNameAndTheModule) {
  at::Tensor weight;
  {
    TwoLayers model = empty();
    load_checkpoint_in_model(model, path_);
    weight = model->first->weight;
  }
  std::filesystem::remove(path_);
  EXPECT_TRUE(torch::equal(weight, reference_->first->weight));
}

TEST_F(Load, WritingToAWeightLeavesTheFileAlone) {
  TwoLayers model = empty();
  load_checkpoint_in_model(model, path_);
  {
    const torch::NoGradGuard no_grad;
    model->first->weight.fill_(7);
  }
  TwoLayers again = empty();
  load_checkpoint_in_model(again, path_);
  EXPECT_TRUE(torch::equal(again->first->weight, reference_->first->weight));
}

TEST_F(Load, KeepsTheTensorObjects) {
  TwoLayers model = empty();
  const at::Tensor member = model->first->weight;
  const at::Tensor registered = model->named_parameters()["first.weight"];
  load_checkpoint_in_model(model, path_);
  EXPECT_TRUE(member.is_same(model->named_parameters()["first.weight"]));
  EXPECT_TRUE(torch::equal(member, reference_->first->weight));
  EXPECT_TRUE(torch::equal(registered, reference_->first->weight));
  EXPECT_TRUE(member.requires_grad());
  EXPECT_TRUE(member.is_leaf());
}

TEST_F(Load, ViewsMadeBeforeSeeTheData) {
  TwoLayers model = empty();
  const at::Tensor transposed = model->first->weight.t();
  const at::Tensor detached = model->first->weight.detach();
  load_checkpoint_in_model(model, path_);
  EXPECT_TRUE(torch::equal(transposed, reference_->first->weight.t()));
  EXPECT_TRUE(torch::equal(detached, reference_->first->weight));
}

TEST_F(Load, AnOptimizerMadeBeforeTrainsTheLoadedWeights) {
  TwoLayers model = empty();
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  torch::optim::SGD reference_optimizer(reference_->parameters(),
                                        torch::optim::SGDOptions(0.1).momentum(0.9));
  load_checkpoint_in_model(model, path_);
  const auto x = torch::randn({4, 2});
  for (int step = 0; step < 3; ++step) {
    for (auto& [m, o] : {std::pair<TwoLayers&, torch::optim::SGD&>(model, optimizer),
                         {reference_, reference_optimizer}}) {
      o.zero_grad();
      m->forward(x).square().sum().backward();
      o.step();
    }
  }
  EXPECT_TRUE(torch::equal(model->first->weight, reference_->first->weight));
  EXPECT_TRUE(torch::equal(model->second->bias, reference_->second->bias));
}

TEST_F(Load, InInferenceModeStillGivesTrainableWeights) {
  TwoLayers model = empty();
  {
    const c10::InferenceMode inference;
    load_checkpoint_in_model(model, path_);
  }
  EXPECT_FALSE(model->first->weight.is_inference());
  model->forward(torch::randn({4, 2})).sum().backward();
  EXPECT_TRUE(model->first->weight.grad().defined());
}

TEST_F(Load, InsideAnEmptyScopeWorksAndWarns) {
  const InitEmptyWeights scope;
  TwoLayers model;
  const LoadReport report = load_checkpoint_in_model(model, path_, {.dtype = torch::kDouble});
  EXPECT_EQ(state_of(model), State::Materialized);
  EXPECT_EQ(model->first->weight.scalar_type(), torch::kDouble);
  EXPECT_THAT(report.warnings,
              ::testing::ElementsAre(::testing::HasSubstr("inside the InitEmptyWeights scope")));
}

TEST_F(Load, LayoutsOfTheModuleAreKept) {
  struct Transposed : torch::nn::Module {
    Transposed() { weight = register_parameter("weight", torch::empty({3, 2}).t()); }
    at::Tensor weight;
  };
  const auto values = torch::randn({2, 3});
  const auto path = directory_.write("t.safetensors", safetensors_of({{"weight", values}}));
  const auto model = init_empty_weights([] { return std::make_shared<Transposed>(); });
  load_checkpoint_in_model(model, path);
  EXPECT_TRUE(torch::equal(model->weight, values));
  EXPECT_THAT(model->weight.strides(), ::testing::ElementsAre(1, 2));
}

TEST_F(Load, EmptyAndScalarTensors) {
  struct Odd : torch::nn::Module {
    Odd() {
      register_buffer("none", torch::empty({0, 3}));
      register_buffer("scalar", torch::empty({}));
    }
  };
  const auto path = directory_.write(
      "odd.safetensors",
      safetensors_of({{"none", torch::empty({0, 3})}, {"scalar", torch::tensor(2.5)}}));
  const auto model = init_empty_weights([] { return std::make_shared<Odd>(); });
  load_checkpoint_in_model(model, path);
  EXPECT_EQ(state_of(model), State::Materialized);
  EXPECT_EQ(model->named_buffers()["scalar"].item<float>(), 2.5F);
}

}  // namespace
}  // namespace metasan::testing
