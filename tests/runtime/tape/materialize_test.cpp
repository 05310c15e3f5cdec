// metasan::materialize: modules in part, other devices, what cannot be replayed.
#include "tests/runtime/tape/support.h"
#include "tests/support/fake_device.h"

#include <gmock/gmock.h>

namespace metasan::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refused(const std::function<void()>& action) {
  try {
    action();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

struct TwoLayersImpl : torch::nn::Module {
  TwoLayersImpl()
      : first(register_module("first", torch::nn::Linear(3, 3))),
        second(register_module("second", torch::nn::Linear(3, 3))) {}
  torch::nn::Linear first;
  torch::nn::Linear second;
};
TORCH_MODULE(TwoLayers);

TwoLayers empty() {
  return init_empty_weights([] { return TwoLayers(); });
}

TEST(Materialize, ModulesWithDataAreLeftAlone) {
  torch::nn::Linear layer(2, 2);
  const auto before = layer->weight.clone();
  const auto* data = layer->weight.const_data_ptr();
  const auto generator = generator_state();
  materialize(layer);
  EXPECT_EQ(layer->weight.const_data_ptr(), data);
  EXPECT_TRUE(torch::equal(layer->weight, before));
  EXPECT_TRUE(same_bits(generator_state(), generator));
}

TEST(Materialize, KeepsObjectsViewsAndOptimizers) {
  TwoLayers model = empty();
  const at::Tensor member = model->first->weight;
  const at::Tensor row = model->first->weight.detach()[1];
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  materialize(model);
  EXPECT_TRUE(member.is_same(model->first->weight));
  EXPECT_TRUE(torch::equal(row, member.detach()[1]));
  EXPECT_TRUE(row.is_alias_of(member));
  const auto before = member.detach().clone();
  model->first(torch::ones({1, 3})).sum().backward();
  optimizer.step();
  EXPECT_FALSE(torch::equal(before, member));
}

TEST(Materialize, OnlyWhatIsStillDeclaredIsReplayed) {
  TwoLayers model = empty();
  const auto loaded = torch::full({3, 3}, 7.0);
  model->first->weight.set_data(loaded);
  model->first->bias.set_data(torch::zeros({3}));
  seed(3);
  materialize(model);
  EXPECT_TRUE(torch::equal(model->first->weight, loaded));
  seed(3);  // no numbers were drawn for the layer that had its data
  const torch::nn::Linear alone(3, 3);
  expect_same_tensors(*model->second, *alone);
}

TEST(Materialize, WhatTensorsWithDataWereMadeFromIsReplayedForOthers) {
  struct Copies : torch::nn::Module {
    Copies()
        : original(register_buffer("original", torch::arange(4))),
          copy(register_buffer("copy", original + 1)) {}
    at::Tensor original;
    at::Tensor copy;
  };
  const auto model = init_empty_weights([] { return std::make_shared<Copies>(); });
  model->original.set_data(torch::zeros({4}, torch::kLong));
  materialize(model);
  EXPECT_TRUE(torch::equal(model->copy, torch::arange(1, 5)));
  EXPECT_TRUE(torch::equal(model->original, torch::zeros({4}, torch::kLong)));
}

TEST(Materialize, PartsOfAModuleInTurn) {
  seed(1);
  const TwoLayers plain;
  const TwoLayers model = empty();
  seed(1);
  materialize(model->first);
  EXPECT_EQ(state_of(model->second), State::Declared);
  materialize(model);
  expect_same_tensors(*model, *plain);
}

TEST(Materialize, MovesToTheDevice) {
  struct Mixed : torch::nn::Module {
    Mixed() {
      auto weight = register_parameter("weight", torch::randn({3, 3}));
      register_parameter("tied", weight);
      register_buffer("row", weight.detach()[1]);
      register_buffer("constant", torch::tensor({1.F, 2.F}));
      register_buffer("table", torch::arange(4).mul(2));
    }
  };
  seed(1);
  const Mixed plain;
  seed(1);
  const auto model = init_empty_weights([] { return std::make_shared<Mixed>(); });
  materialize(model, kFakeDevice);
  const auto expected = plain.named_buffers();
  for (const auto& buffer : model->named_buffers()) {
    EXPECT_EQ(buffer->device(), kFakeDevice) << buffer.key();
    EXPECT_TRUE(torch::equal(buffer->cpu(), expected[buffer.key()])) << buffer.key();
  }
  const auto weight = model->named_parameters()["weight"];
  EXPECT_EQ(weight.device(), kFakeDevice);
  EXPECT_TRUE(torch::equal(weight.cpu(), plain.named_parameters()["weight"]));
  EXPECT_TRUE(weight.is_alias_of(model->named_buffers()["row"]));
}

TEST(Materialize, AFactoryThatAskedForADeviceGetsIt) {
  struct Placed : torch::nn::Module {
    Placed() {
      register_buffer("there", torch::empty({3}, kFakeDevice));
      register_buffer("here", torch::ones({3}));
    }
  };
  const auto model = init_empty_weights([] { return std::make_shared<Placed>(); });
  materialize(model);
  EXPECT_EQ(model->named_buffers()["there"].device(), kFakeDevice);
  EXPECT_EQ(model->named_buffers()["here"].device(), torch::kCPU);
}

TEST(Materialize, NoDeviceWithoutData) {
  EXPECT_THAT(refused([] { materialize(empty(), torch::kMeta); }),
              HasSubstr("materialize: the device is"));
}

TEST(Materialize, ATensorThatNoScopeSawIsNamed) {
  TwoLayers model = empty();
  model->second->weight.set_data(torch::empty({3, 3}, torch::kMeta));
  const auto generator = generator_state();
  EXPECT_THAT(refused([&] { materialize(model); }),
              AllOf(HasSubstr("'second.weight'"), HasSubstr("InitEmptyWeights")));
  EXPECT_EQ(state_of(model->first->weight), State::Declared);
  EXPECT_TRUE(same_bits(generator_state(), generator));
}

TEST(Materialize, AnOperatorThatFailsIsNamedAndNothingChanges) {
  struct Broken : torch::nn::Module {
    Broken() {
      register_parameter("good", torch::randn({3}));
      auto bad = register_buffer("bad", torch::zeros({4}));
      bad.index_put_({torch::tensor({9})}, torch::ones({1}));
    }
  };
  const auto model = init_empty_weights([] { return std::make_shared<Broken>(); });
  const auto generator = generator_state();
  EXPECT_THAT(refused([&] { materialize(model); }),
              AllOf(HasSubstr("'bad'"), HasSubstr("aten::index_put_"), HasSubstr("out of bounds")));
  EXPECT_EQ(state_of(model->named_parameters()["good"]), State::Declared);
  EXPECT_EQ(state_of(model->named_buffers()["bad"]), State::Declared);
  EXPECT_TRUE(same_bits(generator_state(), generator));
}

TEST(Materialize, AnArgumentThatNoScopeSawIsNamed) {
  const auto foreign = torch::empty({3}, torch::kMeta);
  const auto model = init_empty_weights([&] {
    const torch::NoGradGuard no_grad;
    return std::make_shared<OneParameter>(std::vector<int64_t>{3},
                                          [&](at::Tensor& w) { w.add_(foreign); });
  });
  EXPECT_THAT(refused([&] { materialize(model); }),
              AllOf(HasSubstr("'weight'"), HasSubstr("aten::add_"), HasSubstr("no data")));
}

}  // namespace
}  // namespace metasan::testing
