// Giving declared tensors their data, in place.
#include <metasan/metasan.h>

#include "runtime/guard/hits.h"
#include "runtime/guard/materialize.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

#include <sstream>
#include <thread>

namespace {

using metasan::State;
using metasan::state_of;
using metasan::guard::fallback_hits;
using metasan::guard::materialize;

torch::nn::Linear empty_linear(int64_t in = 3, int64_t out = 2) {
  return metasan::init_empty_weights([&] { return torch::nn::Linear(in, out); });
}

TEST(Materialize, MemberRegistryAndAliasSeeTheData) {
  auto layer = empty_linear();
  const auto alias = layer->weight;
  const auto real = torch::randn({2, 3});
  materialize(layer->weight, real);
  for (const auto& seen : {layer->weight, alias, layer->named_parameters()["weight"]}) {
    EXPECT_TRUE(torch::equal(seen, real));
    EXPECT_TRUE(seen.is_same(alias));
  }
  EXPECT_EQ(state_of(alias), State::Materialized);
  EXPECT_TRUE(alias.is_leaf());
  EXPECT_TRUE(alias.requires_grad());
  EXPECT_EQ(alias.data_ptr(), real.data_ptr());
}

TEST(Materialize, LeavesNoGuardBehind) {
  auto layer = empty_linear();
  materialize(layer->weight, torch::randn({2, 3}));
  materialize(layer->bias, torch::randn({2}));
  const auto before = fallback_hits();
  layer->forward(torch::randn({4, 3})).sum().backward();
  EXPECT_EQ(fallback_hits(), before);
  EXPECT_EQ(metasan::provenance_of(layer->weight).name, "");
}

TEST(Materialize, ViewsMadeBeforeFollow) {
  auto layer = empty_linear();
  torch::NoGradGuard no_grad;
  const auto transposed = layer->weight.t();
  const auto row = layer->weight[1];
  const auto detached = layer->weight.detach();
  materialize(layer->weight, torch::arange(6, torch::kFloat).view({2, 3}));
  EXPECT_EQ(transposed[2][0].item<float>(), 2);
  EXPECT_EQ(row[0].item<float>(), 3);
  EXPECT_EQ(state_of(transposed), State::Materialized);
  layer->weight.zero_();
  EXPECT_EQ(detached.sum().item<float>(), 0);
}

TEST(Materialize, AViewOutOfReachTakesPartWithTheData) {
  auto layer = empty_linear();
  const auto data =
      layer->weight.variable_data();  // LibTorch makes this one without the dispatcher
  materialize(layer->weight, torch::ones({2, 3}));
  EXPECT_EQ(state_of(data), State::Materialized);
  EXPECT_EQ(data.sum().item<float>(), 6);
  data.fill_(2);
  EXPECT_EQ(layer->weight.sum().item<float>(), 12);
}

TEST(Materialize, AViewOutOfReachFollowsWhatIsDoneToItInPlace) {
  auto layer = empty_linear();
  auto data = layer->weight.variable_data();
  auto other = layer->weight.variable_data();
  materialize(layer->weight, torch::arange(6, torch::kFloat).view({2, 3}));
  data.t_();
  EXPECT_EQ(data.sizes(), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(data[2][0].item<float>(), 2);
  data.resize_({2, 2});
  EXPECT_EQ(data.sum().item<float>(), 0 + 1 + 2 + 3);
  other.set_(torch::ones({4}));
  EXPECT_EQ(other.sum().item<float>(), 4);
  EXPECT_EQ(layer->weight.sum().item<float>(), 15);
}

TEST(Materialize, TrainsWithAnOptimizerMadeBeforeOrAfter) {
  for (const bool before : {true, false}) {
    torch::manual_seed(0);
    auto expected = torch::nn::Linear(3, 2);
    auto layer = empty_linear();
    std::optional<torch::optim::SGD> optimizer;
    const auto options = torch::optim::SGDOptions(0.1).momentum(0.9);
    if (before) {
      optimizer.emplace(layer->parameters(), options);
    }
    materialize(layer->weight, expected->weight.detach().clone());
    materialize(layer->bias, expected->bias.detach().clone());
    if (!before) {
      optimizer.emplace(layer->parameters(), options);
    }
    torch::optim::SGD reference(expected->parameters(), options);
    const auto input = torch::randn({5, 3});
    for (int step = 0; step < 3; ++step) {
      optimizer->zero_grad();
      layer->forward(input).pow(2).sum().backward();
      optimizer->step();
      reference.zero_grad();
      expected->forward(input).pow(2).sum().backward();
      reference.step();
    }
    EXPECT_TRUE(torch::equal(layer->weight, expected->weight))
        << "optimizer made before: " << before;
  }
}

TEST(Materialize, TensorHooksSurvive) {
  auto layer = empty_linear();
  int calls = 0;
  layer->weight.register_hook([&](const torch::Tensor&) { ++calls; });
  materialize(layer->weight, torch::ones({2, 3}));
  layer->weight.sum().backward();
  EXPECT_EQ(calls, 1);
}

TEST(Materialize, AGraphFromBeforeDoesNotSpoilTheGradient) {
  auto layer = empty_linear();
  const auto graph = layer->weight.sum();  // keeps an accumulator for the meta device alive
  materialize(layer->weight, torch::ones({2, 3}));
  layer->weight.sum().backward();
  EXPECT_TRUE(torch::equal(layer->weight.grad(), torch::ones({2, 3})));
}

TEST(Materialize, AMetaGradientIsDropped) {
  auto layer = empty_linear();
  layer->weight.sum().backward();
  ASSERT_TRUE(layer->weight.grad().is_meta());
  materialize(layer->weight, torch::ones({2, 3}));
  EXPECT_FALSE(layer->weight.grad().defined());
  layer->weight.sum().backward();
  EXPECT_TRUE(torch::equal(layer->weight.grad(), torch::ones({2, 3})));
}

TEST(Materialize, WorksInsideInferenceModeAndTrainsAfterwards) {
  auto layer = empty_linear();
  const auto real = torch::ones({2, 3});
  {
    c10::InferenceMode inference;
    materialize(layer->weight, real);
  }
  EXPECT_FALSE(layer->weight.is_inference());
  layer->weight.sum().backward();
  EXPECT_TRUE(layer->weight.grad().defined());
}

TEST(Materialize, BadDataChangesNothing) {
  auto layer = empty_linear();
  torch::Tensor inference_tensor;
  {
    c10::InferenceMode inference;
    inference_tensor = torch::ones({2, 3});
  }
  EXPECT_THROW(materialize(layer->weight, torch::ones({3, 2})), c10::Error);
  EXPECT_THROW(materialize(layer->weight, torch::empty({2, 3}, torch::kMeta)), c10::Error);
  EXPECT_THROW(materialize(layer->weight, torch::Tensor()), c10::Error);
  EXPECT_THROW(materialize(layer->weight, inference_tensor), c10::Error);
  EXPECT_EQ(state_of(layer->weight), State::Declared);
  EXPECT_EQ(metasan::provenance_of(layer->weight).name, "weight");
}

TEST(Materialize, AnUnguardedMetaTensorCanBeFilledToo) {
  auto parameter = torch::empty({2}, torch::TensorOptions(torch::kMeta)).requires_grad_();
  materialize(parameter, torch::ones({2}));
  EXPECT_EQ(parameter.sum().item<float>(), 2);
}

TEST(Materialize, AnOrdinaryTensorIsReplaced) {
  auto layer = torch::nn::Linear(3, 2);
  const auto alias = layer->weight;
  materialize(layer->weight, torch::ones({2, 3}));
  EXPECT_EQ(alias.sum().item<float>(), 6);
}

TEST(Materialize, DeclaredStridesAreKept) {
  torch::Tensor channels_last;
  {
    metasan::InitEmptyWeights scope;
    channels_last = torch::empty({2, 3, 4, 5}, torch::MemoryFormat::ChannelsLast);
  }
  const auto strides = channels_last.strides().vec();
  const auto real = torch::randn({2, 3, 4, 5});
  materialize(channels_last, real);
  EXPECT_EQ(channels_last.strides(), strides);
  EXPECT_TRUE(torch::equal(channels_last, real));
}

struct TowerImpl : torch::nn::Module {
  TowerImpl() {
    layers = register_module(
        "layers", torch::nn::Sequential(torch::nn::Linear(4, 4), torch::nn::BatchNorm1d(4)));
    head = register_parameter("head", torch::randn({4}));
  }
  torch::nn::Sequential layers{nullptr};
  torch::Tensor head;
};
TORCH_MODULE(Tower);

TEST(NativeLoad, TorchLoadIntoAnEmptyModuleMaterializesIt) {
  Tower source;
  std::stringstream archive;
  torch::save(source, archive);
  auto model = metasan::init_empty_weights([] { return Tower(); });
  torch::load(model, archive);
  EXPECT_EQ(state_of(model), State::Materialized);
  for (const auto& parameter : source->named_parameters()) {
    EXPECT_TRUE(torch::equal(parameter.value(), model->named_parameters()[parameter.key()]))
        << parameter.key();
  }
  model->train();
  const auto before = fallback_hits();
  model->layers->forward(torch::randn({4, 4})).mul(model->head).sum().backward();
  EXPECT_TRUE(model->head.grad().defined());
  EXPECT_EQ(fallback_hits(), before);
}

TEST(NativeLoad, SetDataByTheUserMaterializes) {
  auto layer = empty_linear();
  layer->weight.set_data(torch::ones({2, 3}));
  EXPECT_EQ(state_of(layer->weight), State::Materialized);
  EXPECT_EQ(layer->weight.sum().item<float>(), 6);
}

TEST(Threads, EachBuildsMisusesAndFillsItsOwnModule) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 20; ++round) {
        auto layer = empty_linear(3 + t, 2);
        const auto expected = "[2, " + std::to_string(3 + t) + "]";
        try {
          layer->weight.cpu();
        } catch (const metasan::MetaTensorError& error) {
          good += std::string(error.what()).find(expected) != std::string::npos;
        }
        materialize(layer->weight, torch::ones({2, 3 + t}));
        good += layer->weight.sum().item<float>() == 2 * (3 + t);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(good, 8 * 20 * 2);
}

TEST(Threads, OneDeclaredTensorUsedByManyStaysGuarded) {
  auto layer = empty_linear();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      torch::NoGradGuard no_grad;
      for (int i = 0; i < 200; ++i) {
        layer->weight.t().mul(2);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_THROW(layer->weight.data_ptr(), c10::Error);
}

}  // namespace
