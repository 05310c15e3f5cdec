// What constructors of models do beside making layers: tables, masks, constants, ties, views.
#include "tests/runtime/tape/support.h"

namespace metasan::testing {
namespace {

template <typename M>
ModulePtr make() {
  return std::make_shared<M>();
}

struct Tables : torch::nn::Module {
  Tables() {
    const auto frequencies = 1.0 / torch::pow(10000.0, torch::arange(0, 16, 2, torch::kFloat) / 16);
    register_buffer("inv_freq", frequencies);
    const auto angles = torch::outer(torch::arange(32, torch::kFloat), frequencies);
    register_buffer("cos", torch::cat({angles, angles}, -1).cos());
    register_buffer("sin", torch::cat({angles, angles}, -1).sin());
    register_buffer("causal", torch::full({8, 8}, -INFINITY).triu(1));
    register_buffer("mask", torch::ones({8, 8}, torch::kBool).tril());
    register_buffer("position_ids", torch::arange(16).expand({1, -1}));
    register_buffer("repeated", torch::linspace(0, 1, 5).view({1, 5}).repeat({2, 1}));
    register_parameter("scaled", torch::randn({4, 4}) * 0.02);
    register_buffer("half", torch::randn({4}).to(torch::kHalf));
  }
};

TEST(Constructors, TablesAndMasks) {
  expect_as_constructed(&make<Tables>);
}

struct Constants : torch::nn::Module {
  Constants() {
    const std::vector<float> values{5, 6, 7};
    register_buffer("number", torch::tensor(1.5));
    register_buffer("list", torch::tensor(values));
    register_buffer("nested", torch::tensor({{1.F, 2.F}, {3.F, 4.F}}));
    register_buffer("scaled", torch::arange(3) * torch::tensor({1, 2, 3}));
    register_parameter("random", torch::randn({3}));
  }
};

TEST(Constructors, Constants) {
  expect_as_constructed(&make<Constants>);
}

struct Ties : torch::nn::Module {
  Ties() {
    const torch::NoGradGuard no_grad;
    auto table = register_parameter("table", torch::randn({4, 4}));
    register_parameter("head", table);
    register_buffer("row", table.detach()[1]);
    register_buffer("transposed", table.detach().t());
    table[1].zero_();
  }
};

TEST(Constructors, TiedTensorsAndViews) {
  expect_as_constructed(&make<Ties>);
}

struct PartOfTemporary : torch::nn::Module {
  PartOfTemporary() {
    auto whole = torch::randn({6, 4});
    register_buffer("upper", whole.slice(0, 0, 3));
    register_buffer("lower", whole.slice(0, 3));
    whole.select(1, 2).zero_();
  }
};

TEST(Constructors, PartsOfOneTensorShareItsStorage) {
  expect_as_constructed(&make<PartOfTemporary>);
}

struct DiscardedNumbers : torch::nn::Module {
  DiscardedNumbers() {
    torch::rand({5});
    register_parameter("first", torch::randn({4}));
    auto temporary = torch::empty({7});
    temporary.normal_();
    unregistered_ = torch::randn({3});
    register_parameter("second", torch::randn({4}));
    torch::rand({2}).mul(2);
  }
  at::Tensor unregistered_;
};

TEST(Constructors, NumbersDrawnForTemporariesAreDrawnAgain) {
  expect_as_constructed(&make<DiscardedNumbers>);
}

struct Inner : torch::nn::Module {
  Inner() {
    const InitEmptyWeights nested;
    register_parameter("weight", torch::randn({4}));
  }
};
struct Outer : torch::nn::Module {
  explicit Outer(const std::function<ModulePtr()>& inner) {
    register_parameter("before", torch::randn({4}));
    register_module("inner", inner());
    register_parameter("after", torch::randn({4}));
  }
};
struct PlainInner : torch::nn::Module {
  PlainInner() { register_parameter("weight", torch::randn({4})); }
};

TEST(Constructors, NestedScopesAreOneConstruction) {
  seed(1);
  const auto plain = std::make_shared<Outer>(&make<PlainInner>);
  seed(1);
  const auto module = init_empty_weights([] { return std::make_shared<Outer>(&make<Inner>); });
  materialize(module);
  expect_same_tensors(*module, *plain);
}

TEST(Constructors, SeveralScopesMakeOneModule) {
  seed(1);
  torch::nn::Sequential plain;
  for (int i = 0; i < 2; ++i) {
    plain->push_back(torch::nn::Linear(3, 3));
  }
  plain[0]->as<torch::nn::Linear>()->weight.data().normal_();
  seed(1);
  torch::nn::Sequential module;
  for (int i = 0; i < 2; ++i) {
    const InitEmptyWeights scope;
    module->push_back(torch::nn::Linear(3, 3));
  }
  module[0]->as<torch::nn::Linear>()->weight.data().normal_();  // outside of both
  materialize(module);
  expect_same_tensors(*module, *plain);
}

TEST(Constructors, TwoModulesOfOneScopeInTurn) {
  seed(1);
  torch::nn::Linear plain_a(3, 3);
  torch::rand({5});
  torch::nn::Linear plain_b(3, 3);
  seed(1);
  torch::nn::Linear a{nullptr};
  torch::nn::Linear b{nullptr};
  {
    const InitEmptyWeights scope;
    a = torch::nn::Linear(3, 3);
    torch::rand({5});
    b = torch::nn::Linear(3, 3);
  }
  materialize(a);
  materialize(b);
  expect_same_tensors(*a, *plain_a);
  expect_same_tensors(*b, *plain_b);
}

TEST(Constructors, InferenceModeChangesNothing) {
  seed(1);
  const torch::nn::Linear plain(3, 3);
  seed(1);
  const c10::InferenceMode outside;
  auto module = init_empty_weights([] {
    const c10::InferenceMode inside;
    torch::nn::Linear layer(3, 3);
    return layer;
  });
  materialize(module);
  const c10::InferenceMode off(false);
  expect_same_tensors(*module, *plain);
  EXPECT_FALSE(module->weight.is_inference());
  module->forward(torch::ones({1, 3})).sum().backward();
  EXPECT_TRUE(module->weight.grad().defined());
}

TEST(Constructors, ClonesOfEmptyModulesAreTheirOwn) {
  expect_as_constructed([] {
    const torch::nn::Sequential layers(torch::nn::Linear(4, 4), torch::nn::BatchNorm1d(4));
    auto copy = layers->clone();
    const torch::NoGradGuard no_grad;
    copy->parameters()[0].normal_();
    return copy;
  });
}

TEST(Constructors, CastsOfModulesAreReplayed) {
  expect_as_constructed([] {
    torch::nn::Linear layer(4, 4);
    layer->to(torch::kHalf);
    return ModulePtr(layer.ptr());
  });
}

}  // namespace
}  // namespace metasan::testing
