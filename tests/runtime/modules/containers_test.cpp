// Registration, containers of modules and of parameters, and holders kept in one's own containers.
#include "tests/runtime/modules/support.h"

#include <map>

namespace metasan::testing {
namespace {

using torch::nn::Linear;

template <typename Build>
void expect_as_plain(Build&& build) {
  expect_as_constructed([&] { return build().ptr(); });
}

TEST(Containers, OfModules) {
  using namespace torch::nn;
  expect_as_plain([] { return Sequential(Linear(2, 3), ReLU(), Linear(3, 1)); });
  expect_as_plain([] { return ModuleList(Linear(2, 3), BatchNorm1d(3)); });
  expect_as_plain([] {
    std::vector<std::pair<std::string, std::shared_ptr<Module>>> parts{{"a", Linear(2, 3).ptr()},
                                                                       {"b", LSTM(3, 2).ptr()}};
    return ModuleDict(parts);
  });
}

TEST(Containers, OfParameters) {
  using namespace torch::nn;
  expect_as_plain([] { return ParameterList(torch::randn({2}), torch::zeros({3})); });
  expect_as_plain([] {
    ParameterDict dict;
    dict->insert("a", torch::randn({2}));
    dict->insert("b", torch::ones({3}));
    return dict;
  });
}

TEST(Containers, AnEmptySequentialIsReportedByTheNameOfItsPart) {
  auto net = init_empty_weights([] { return torch::nn::Sequential(Linear(2, 3), Linear(3, 1)); });
  const auto report = report_of(Rule::MetaMixed, [&] { (void)net->forward(torch::ones({1, 2})); });
  EXPECT_THAT(report, ::testing::HasSubstr("'0.bias'"));
}

TEST(Containers, AnyModuleHoldsAnEmptyModule) {
  const auto linear = init_empty_weights([] { return Linear(2, 3); });
  torch::nn::AnyModule any(linear);
  report_of(Rule::MetaMixed, [&] { (void)any.forward(torch::ones({1, 2})); });
  seed(1);
  materialize(any.ptr());
  EXPECT_EQ(any.forward(torch::ones({1, 2})).sizes(), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(state_of(linear), State::Materialized);
}

TEST(Containers, OfHolders) {
  std::vector<Linear> layers;
  std::map<std::string, Linear> by_name;
  {
    const InitEmptyWeights scope;
    for (int i = 0; i < 3; ++i) {
      layers.emplace_back(2, 2);
      by_name.emplace(std::to_string(i), layers.back());
    }
  }
  for (auto& layer : layers) {
    EXPECT_EQ(state_of(layer), State::Declared);
    materialize(layer);
  }
  for (const auto& [name, layer] : by_name) {
    EXPECT_EQ(state_of(layer->weight), State::Materialized) << name;
  }
}

TEST(Registration, OfTensorsAndModulesDeclaredElsewhere) {
  at::Tensor weight, mask;
  Linear linear{nullptr};
  {
    const InitEmptyWeights scope;
    weight = torch::randn({2, 3});
    mask = torch::triu_indices(3, 3);
    linear = Linear(2, 2);
  }
  auto module = std::make_shared<torch::nn::Module>();
  module->register_parameter("weight", weight);
  module->register_buffer("mask", mask);
  module->register_module("linear", linear);
  EXPECT_EQ(state_of(module), State::Declared);
  EXPECT_TRUE(module->named_parameters()["weight"].requires_grad());
  EXPECT_EQ(provenance_of(weight).name, "weight");
  EXPECT_EQ(provenance_of(linear->bias).name, "linear.bias");
  seed(6);
  materialize(module);
  EXPECT_EQ(state_of(weight), State::Materialized);
  seed(6);
  EXPECT_TRUE(torch::equal(weight, torch::randn({2, 3})));
}

TEST(Registration, OfTheSameEmptyTensorTwiceStaysATie) {
  auto module = std::make_shared<torch::nn::Module>();
  at::Tensor weight;
  {
    const InitEmptyWeights scope;
    weight = module->register_parameter("input", torch::randn({2, 2}));
    module->register_parameter("output", weight);
  }
  materialize(module);
  EXPECT_TRUE(module->named_parameters()["input"].is_same(module->named_parameters()["output"]));
}

TEST(Registration, APartThatIsReplacedOrRemovedNeedsNoData) {
  auto module = std::make_shared<torch::nn::Module>();
  module->register_module("head", init_empty_weights([] { return Linear(2, 2); }));
  module->register_module("extra", init_empty_weights([] { return Linear(2, 2); }));
  EXPECT_EQ(state_of(module), State::Declared);
  module->replace_module("head", Linear(2, 5));
  EXPECT_EQ(state_of(module), State::Declared);
  module->unregister_module("extra");
  EXPECT_EQ(state_of(module), State::Materialized);
  dispatch_model(module, torch::kCPU);
}

TEST(Registration, AnEmptyPartPutIntoAModuleWithDataIsSeen) {
  auto module = std::make_shared<torch::nn::Module>();
  module->register_module("head", Linear(2, 2));
  module->replace_module("head", init_empty_weights([] { return Linear(2, 2); }));
  const auto report =
      report_of(Rule::DispatchWithoutWeights, [&] { dispatch_model(module, torch::kCPU); });
  EXPECT_THAT(report, ::testing::HasSubstr("'weight' [2, 2]"));
}

TEST(Registration, AssigningToAMemberIsNotALoad) {
  auto linear = init_empty_weights([] { return Linear(2, 2); });
  linear->weight = torch::ones({2, 2});  // the registered parameter is another tensor still
  EXPECT_EQ(state_of(linear), State::Declared);
  report_of(Rule::DispatchWithoutWeights, [&] { dispatch_model(linear, torch::kCPU); });
}

}  // namespace
}  // namespace metasan::testing
