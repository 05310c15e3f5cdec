#include <metasan/metasan.h>

#include <gmock/gmock.h>
#include <torch/torch.h>

#include <thread>

namespace {

using metasan::InitEmptyWeights;
using metasan::State;
using metasan::state_of;

TEST(EmptyInit, TensorsAreDeclaredInsideAndOrdinaryOutside) {
  torch::Tensor inside;
  {
    InitEmptyWeights scope;
    inside = torch::randn({4, 8});
  }
  EXPECT_TRUE(inside.is_meta());
  EXPECT_EQ(state_of(inside), State::Declared);
  EXPECT_EQ(inside.sizes(), (std::vector<int64_t>{4, 8}));
  EXPECT_EQ(state_of(torch::randn({4})), State::Materialized);
}

TEST(EmptyInit, ModuleParametersAreDeclaredLeavesThatRequireGrad) {
  torch::nn::Linear layer{nullptr};
  {
    InitEmptyWeights scope;
    layer = torch::nn::Linear(8, 4);
  }
  EXPECT_EQ(state_of(layer), State::Declared);
  EXPECT_TRUE(layer->weight.is_leaf());
  EXPECT_TRUE(layer->weight.requires_grad());
  EXPECT_EQ(layer->weight.device(), torch::kMeta);
}

TEST(EmptyInit, ScopesNest) {
  InitEmptyWeights outer;
  {
    InitEmptyWeights inner;
  }
  EXPECT_EQ(state_of(torch::empty({1})), State::Declared);
}

TEST(EmptyInit, AnExceptionLeavesTheScope) {
  try {
    InitEmptyWeights scope;
    throw std::runtime_error("builder failed");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(state_of(torch::empty({1})), State::Materialized);
}

TEST(EmptyInit, OtherThreadsAreOutside) {
  InitEmptyWeights scope;
  torch::Tensor other;
  std::thread([&] { other = torch::zeros({2}); }).join();
  EXPECT_EQ(state_of(other), State::Materialized);
}

TEST(EmptyInit, TensorsMadeFromDataKeepIt) {
  std::vector<float> values{5, 6, 7};
  InitEmptyWeights scope;
  const auto number = torch::tensor(1.5);
  const auto list = torch::tensor({1.f, 2.f, 3.f});
  const auto nested = torch::tensor({{1.f, 2.f}, {3.f, 4.f}});
  const auto from_vector = torch::tensor(values);
  const auto blob = torch::from_blob(values.data(), {3});
  EXPECT_EQ(number.item<float>(), 1.5);
  EXPECT_EQ(list[2].item<float>(), 3);
  EXPECT_EQ(nested[1][0].item<float>(), 3);
  EXPECT_EQ(from_vector[0].item<float>(), 5);
  EXPECT_EQ(blob[1].item<float>(), 6);
}

TEST(EmptyInit, AnExplicitDeviceIsOverriddenAndSaidSo) {
  InitEmptyWeights scope;
  const auto tensor = torch::empty({2}, torch::kCPU);
  EXPECT_EQ(state_of(tensor), State::Declared);
  EXPECT_EQ(metasan::provenance_of(tensor).requested_device, "cpu");
  EXPECT_EQ(metasan::provenance_of(torch::empty({2})).requested_device, "");
}

TEST(EmptyInit, PinnedMemoryIsNotAskedFor) {
  InitEmptyWeights scope;
  EXPECT_EQ(state_of(torch::empty({2}, torch::TensorOptions().pinned_memory(true))),
            State::Declared);
}

TEST(EmptyInit, InferenceModeOutsideDoesNotMakeUntrainableTensors) {
  c10::InferenceMode inference;
  torch::nn::Linear layer{nullptr};
  {
    InitEmptyWeights scope;
    layer = torch::nn::Linear(2, 2);
    EXPECT_EQ(torch::tensor({1, 2})[1].item<int>(), 2);
  }
  EXPECT_TRUE(c10::InferenceMode::is_enabled());
  EXPECT_FALSE(layer->weight.is_inference());
  EXPECT_EQ(state_of(layer), State::Declared);
}

TEST(EmptyInit, InferenceModeInsideDoesNotEither) {
  InitEmptyWeights scope;
  c10::InferenceMode inference;
  const auto tensor = torch::ones({2});
  EXPECT_FALSE(tensor.is_inference());
  EXPECT_EQ(state_of(tensor), State::Declared);
}

TEST(EmptyInit, ConstantsTakePartInConstruction) {
  InitEmptyWeights scope;
  torch::NoGradGuard no_grad;
  auto parameter = torch::randn({3});
  parameter.copy_(torch::tensor({1.f, 2.f, 3.f}));
  const auto product = torch::arange(3) * torch::tensor({1, 2, 3});
  EXPECT_EQ(state_of(parameter), State::Declared);
  EXPECT_EQ(state_of(product), State::Declared);
}

TEST(EmptyInit, OperatorsWithoutMetaKernelGiveTheirShape) {
  InitEmptyWeights scope;
  const auto generator_before = at::detail::getDefaultCPUGenerator().get_state();
  EXPECT_EQ(torch::randperm(5).sizes(), std::vector<int64_t>{5});
  EXPECT_EQ(torch::triu_indices(4, 4, 1).sizes(), (std::vector<int64_t>{2, 6}));
  const auto chosen =
      torch::where(torch::rand({4, 4}) > .5, torch::ones({4, 4}), torch::zeros({4, 4}));
  EXPECT_EQ(state_of(chosen), State::Declared);
  EXPECT_EQ(torch::relu(torch::randn({2, 3})).sizes(), (std::vector<int64_t>{2, 3}));
  const auto generator_after = at::detail::getDefaultCPUGenerator().get_state();
  EXPECT_TRUE(torch::equal(generator_before, generator_after));
}

TEST(EmptyInit, BuilderReturnsANamedModule) {
  const auto layer = metasan::init_empty_weights([] { return torch::nn::Linear(3, 2); });
  EXPECT_EQ(metasan::provenance_of(layer->bias).name, "bias");
  EXPECT_THAT(metasan::provenance_of(layer->bias).scope,
              testing::HasSubstr("empty_init_test.cpp:"));
}

struct BlockImpl : torch::nn::Module {
  BlockImpl() {
    up = register_module("up", torch::nn::Linear(4, 16));
    down = register_module("down", torch::nn::Linear(16, 4));
    tied = register_parameter("tied", up->weight);
    scale = register_buffer("scale", torch::ones({4}));
  }
  torch::nn::Linear up{nullptr}, down{nullptr};
  torch::Tensor tied, scale;
};
TORCH_MODULE(Block);

TEST(EmptyInit, ParametersAndBuffersGetFullyQualifiedNames) {
  const auto block = metasan::init_empty_weights([] { return Block(); });
  EXPECT_EQ(metasan::provenance_of(block->down->weight).name, "down.weight");
  EXPECT_EQ(metasan::provenance_of(block->scale).name, "scale");
  EXPECT_TRUE(block->tied.is_same(block->up->weight));
}

TEST(EmptyInit, ProvenanceNamesTheFrameOfUserCode) {
  const auto block = metasan::init_empty_weights([] { return Block(); });
  EXPECT_THAT(
      metasan::provenance_of(block->down->weight).declared_at,
      testing::AllOf(testing::HasSubstr("BlockImpl"), testing::HasSubstr("empty_init_test.cpp:")));
}

TEST(EmptyInit, EveryLayerKindIsBuiltWithoutData) {
  InitEmptyWeights scope;
  namespace nn = torch::nn;
  const std::vector<std::shared_ptr<nn::Module>> modules{
      nn::Conv2d(nn::Conv2dOptions(4, 4, 3)).ptr(),
      nn::BatchNorm2d(8).ptr(),
      nn::Embedding(10, 4).ptr(),
      nn::LayerNorm(nn::LayerNormOptions({4, 4})).ptr(),
      nn::LSTM(nn::LSTMOptions(4, 6).num_layers(2)).ptr(),
      nn::MultiheadAttention(nn::MultiheadAttentionOptions(8, 2)).ptr(),
      nn::TransformerEncoderLayer(nn::TransformerEncoderLayerOptions(8, 2)).ptr(),
      nn::Bilinear(3, 4, 5).ptr(),
  };
  for (const auto& module : modules) {
    for (const auto& parameter : module->parameters()) {
      EXPECT_EQ(state_of(parameter), State::Declared) << module->name();
    }
  }
}

}  // namespace
