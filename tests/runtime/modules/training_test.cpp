// Optimizers, autograd, inference mode and autocast with modules that were built empty.
#include "tests/runtime/modules/support.h"

#include <ATen/autocast_mode.h>

#include <memory>

namespace metasan::testing {
namespace {

using MakeOptimizer =
    std::unique_ptr<torch::optim::Optimizer> (*)(const std::vector<at::Tensor>& parameters);

struct NamedOptimizer {
  const char* name;
  MakeOptimizer make;
};

at::Tensor input() {
  return torch::linspace(-1, 1, 15).view({5, 3});
}

void train(SmallNet& net, torch::optim::Optimizer& optimizer) {
  for (int i = 0; i < 3; ++i) {
    optimizer.step([&] {
      optimizer.zero_grad();
      auto loss = (net->forward(input()) - 1).pow(2).sum();
      loss.backward();
      return loss;
    });
  }
}

class Optimizers : public ::testing::TestWithParam<NamedOptimizer> {
 protected:
  SmallNet trained_by_libtorch() const {
    auto net = plain_net(31);
    const auto optimizer = GetParam().make(net->parameters());
    train(net, *optimizer);
    return net;
  }
};

TEST_P(Optimizers, BuiltBeforeTheDataAreThere) {
  auto net = empty_net();
  const auto optimizer = GetParam().make(net->parameters());
  seed(31);
  materialize(net);
  EXPECT_EQ(guarded_calls([&] { train(net, *optimizer); }), 0u);
  EXPECT_TRUE(all_equal(*net, *trained_by_libtorch()));
}

TEST_P(Optimizers, BuiltAfterwards) {
  auto net = materialized_net(31);
  const auto optimizer = GetParam().make(net->parameters());
  EXPECT_EQ(guarded_calls([&] { train(net, *optimizer); }), 0u);
  EXPECT_TRUE(all_equal(*net, *trained_by_libtorch()));
}

TEST_P(Optimizers, OnAnEmptyModuleThereIsNothingToTrain) {
  auto net = empty_net();
  const auto optimizer = GetParam().make(net->parameters());
  report_of(Rule::MetaMixed, [&] { train(net, *optimizer); });
  EXPECT_EQ(state_of(net), State::Declared);
}

INSTANTIATE_TEST_SUITE_P(
    All, Optimizers,
    ::testing::Values(NamedOptimizer{"Sgd",
                                     [](const std::vector<at::Tensor>& parameters)
                                         -> std::unique_ptr<torch::optim::Optimizer> {
                                       return std::make_unique<torch::optim::SGD>(
                                           parameters, torch::optim::SGDOptions(0.1).momentum(0.9));
                                     }},
                      NamedOptimizer{"Adam",
                                     [](const std::vector<at::Tensor>& parameters)
                                         -> std::unique_ptr<torch::optim::Optimizer> {
                                       return std::make_unique<torch::optim::Adam>(parameters,
                                                                                   0.01);
                                     }},
                      NamedOptimizer{"Lbfgs",
                                     [](const std::vector<at::Tensor>& parameters)
                                         -> std::unique_ptr<torch::optim::Optimizer> {
                                       return std::make_unique<torch::optim::LBFGS>(
                                           parameters, torch::optim::LBFGSOptions(0.1).max_iter(4));
                                     }}),
    [](const auto& info) { return info.param.name; });

/// d(sum of squared gradients)/d(weight), which needs the graph of the gradient.
at::Tensor second_derivative(SmallNet& net) {
  const auto loss = net->forward(input()).pow(2).sum();
  const auto gradient =
      torch::autograd::grad({loss}, {net->first->weight}, {}, /*retain_graph=*/true,
                            /*create_graph=*/true)[0];
  return torch::autograd::grad({gradient.pow(2).sum()}, {net->first->weight})[0];
}

TEST(Autograd, DoubleBackward) {
  auto net = materialized_net(2);
  auto plain = plain_net(2);
  EXPECT_TRUE(torch::equal(second_derivative(net), second_derivative(plain)));
}

TEST(Autograd, DoubleBackwardThroughOffloadedParameters) {
  auto net = materialized_net(2);
  cpu_offload(net, torch::kCPU);
  auto plain = plain_net(2);
  EXPECT_TRUE(torch::equal(second_derivative(net), second_derivative(plain)));
}

TEST(Autograd, HooksOfEmptyParametersRunOnceThereAreData) {
  auto net = empty_net();
  int calls = 0;
  net->scale.register_hook([&](const at::Tensor& gradient) {
    ++calls;
    return gradient * 2;
  });
  seed(2);
  materialize(net);
  net->forward(input()).sum().backward();
  auto plain = plain_net(2);
  plain->forward(input()).sum().backward();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(torch::equal(net->scale.grad(), plain->scale.grad() * 2));
}

/// Keeps nothing of the forward but its input, and computes it again for the backward.
struct Recomputed : torch::autograd::Function<Recomputed> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& weight) {
    context->save_for_backward({x, weight});
    return torch::tanh(x.matmul(weight.t()));
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const torch::AutoGradMode with_grad(true);
    const auto saved = context->get_saved_variables();
    const auto x = saved[0].detach().requires_grad_();
    const auto weight = saved[1].detach().requires_grad_();
    return torch::autograd::grad({torch::tanh(x.matmul(weight.t()))}, {x, weight}, {gradients[0]});
  }
};

TEST(Autograd, ARecomputedForwardSeesTheSameWeights) {
  const auto gradient_of = [](SmallNet net) {
    Recomputed::apply(input().requires_grad_(), net->first->weight).sum().backward();
    return net->first->weight.grad();
  };
  auto offloaded = materialized_net(2);
  cpu_offload(offloaded, torch::kCPU);
  EXPECT_TRUE(torch::equal(gradient_of(materialized_net(2)), gradient_of(plain_net(2))));
  EXPECT_TRUE(torch::equal(gradient_of(offloaded), gradient_of(plain_net(2))));
}

TEST(InferenceMode, ComputesWithModulesInEveryState) {
  auto plain = plain_net(3);
  auto net = materialized_net(3);
  auto offloaded = materialized_net(3);
  cpu_offload(offloaded, torch::kCPU);
  auto empty = empty_net();
  auto unwritten = empty_net();
  to_empty(unwritten, torch::kCPU);

  const c10::InferenceMode inference;
  const auto expected = plain->forward(input());
  EXPECT_TRUE(torch::equal(net->forward(input()), expected));
  EXPECT_TRUE(torch::equal(offloaded->forward(input()), expected));
  report_of(Rule::MetaMixed, [&] { (void)empty->forward(input()); });
  report_of(Rule::MetaCopyOut, [&] { empty->to(torch::kCPU); });
  report_of(Rule::UninitializedRead, [&] { (void)unwritten->forward(input()); });
}

TEST(InferenceMode, AModuleMaterializedInsideTrainsAfterwards) {
  auto net = empty_net();
  seed(3);
  {
    const c10::InferenceMode inference;
    materialize(net);
  }
  net->forward(input()).sum().backward();
  EXPECT_TRUE(net->first->weight.grad().defined());
}

class Autocast : public ::testing::Test {
 protected:
  Autocast() { at::autocast::set_autocast_enabled(at::kCPU, true); }
  ~Autocast() override {
    at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCPU, false);
  }
};

TEST_F(Autocast, ComputesInLowPrecisionWithModulesInEveryState) {
  auto plain = plain_net(3);
  auto net = materialized_net(3);
  auto offloaded = materialized_net(3);
  cpu_offload(offloaded, torch::kCPU);
  const auto expected = plain->last->forward(torch::ones({1, 4}));
  EXPECT_EQ(expected.scalar_type(), torch::kBFloat16);
  EXPECT_TRUE(torch::equal(net->last->forward(torch::ones({1, 4})), expected));
  EXPECT_TRUE(torch::equal(offloaded->last->forward(torch::ones({1, 4})), expected));
}

TEST_F(Autocast, SeesMissingDataAllTheSame) {
  auto empty = empty_net();
  report_of(Rule::MetaMixed, [&] { (void)empty->last->forward(torch::ones({1, 4})); });
  auto unwritten = empty_net();
  to_empty(unwritten, torch::kCPU);
  report_of(Rule::UninitializedRead, [&] { (void)unwritten->last->forward(torch::ones({1, 4})); });
}

TEST_F(Autocast, GradientsOfOffloadedParametersAreThoseOfPlainOnes) {
  const auto gradient_of = [](SmallNet net) {
    net->last->forward(torch::ones({1, 4})).sum().backward();
    at::autocast::clear_cache();
    return net->last->weight.grad();
  };
  auto offloaded = materialized_net(3);
  cpu_offload(offloaded, torch::kCPU);
  EXPECT_TRUE(torch::equal(gradient_of(offloaded), gradient_of(plain_net(3))));
}

}  // namespace
}  // namespace metasan::testing
