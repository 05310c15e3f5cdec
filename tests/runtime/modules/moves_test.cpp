// What LibTorch does to a whole module: Module::to in all its forms, clone, zero_grad, apply,
// train.
#include "tests/runtime/modules/support.h"
#include "tests/support/fake_device.h"

namespace metasan::testing {
namespace {

using ::testing::HasSubstr;

template <typename Move>
void expect_copy_out(Move&& move) {
  auto net = empty_net();
  const auto report = report_of(Rule::MetaCopyOut, [&] { move(*net); });
  EXPECT_THAT(report, HasSubstr("'first.weight' [4, 3] float32"));
  EXPECT_EQ(state_of(net), State::Declared);
  EXPECT_EQ(net->first->weight.scalar_type(), torch::kFloat);
}

TEST(ModuleTo, AnEmptyModuleStaysEmptyAndIsReportedInEveryFormThatNeedsData) {
  using torch::nn::Module;
  expect_copy_out([](Module& module) { module.to(torch::kCPU); });
  expect_copy_out([](Module& module) { module.to(torch::kCPU, /*non_blocking=*/true); });
  expect_copy_out([](Module& module) { module.to(torch::kCPU, torch::kHalf); });
  expect_copy_out([](Module& module) { module.to(torch::kCPU, torch::kHalf, true); });
  expect_copy_out([](Module& module) { module.to(kFakeDevice); });
}

TEST(ModuleTo, AnEmptyModuleChangesItsDtype) {
  auto net = empty_net();
  const auto weight = net->first->weight;
  net->to(torch::kDouble);
  net->first->to(torch::kMeta);
  net->first->to(torch::kMeta, torch::kDouble);
  EXPECT_EQ(state_of(net), State::Declared);
  EXPECT_TRUE(weight.is_same(net->first->weight));
  EXPECT_EQ(weight.scalar_type(), torch::kDouble);
  EXPECT_EQ(provenance_of(weight).name, "first.weight");
  EXPECT_THAT(report_of(Rule::MetaCopyOut, [&] { (void)weight.cpu(); }),
              HasSubstr("tensor    'first.weight' [4, 3] float64"));

  seed(3);
  materialize(net);
  auto plain = plain_net(3);
  plain->to(torch::kDouble);
  EXPECT_TRUE(all_equal(*net, *plain));
}

TEST(ModuleTo, UninitializedMemoryIsMovedAsSuch) {
  for (const c10::Device device : {c10::Device(c10::kCPU), kFakeDevice}) {
    auto net = empty_net();
    to_empty(net, torch::kCPU);
    net->to(device);
    net->to(torch::kDouble, true);
    net->to(device, torch::kFloat);
    EXPECT_EQ(state_of(net), State::Uninitialized) << device;
    EXPECT_EQ(net->first->weight.device(), device);
    report_of(Rule::UninitializedRead, [&] { (void)net->first->weight.sum(); });
    const torch::NoGradGuard no_grad;
    net->first->weight.fill_(1);
    EXPECT_EQ(net->first->weight.sum().item<float>(), 12);
  }
}

TEST(ModuleTo, AMaterializedModuleMovesAsAnyOther) {
  auto net = materialized_net(5);
  EXPECT_EQ(guarded_calls([&] {
              net->to(kFakeDevice);
              net->to(torch::kDouble);
              net->to(torch::kCPU, torch::kFloat);
              net->to(torch::kCPU, /*non_blocking=*/true);
            }),
            0u);
  EXPECT_EQ(state_of(net), State::Materialized);
  auto plain = plain_net(5);
  plain->to(torch::kDouble);
  plain->to(torch::kFloat);
  EXPECT_TRUE(all_equal(*net, *plain));
}

TEST(ModuleTo, DataIsNotDroppedByAMoveToMeta) {
  for (auto net : {plain_net(1), materialized_net(1)}) {
    EXPECT_THROW(net->to(torch::kMeta), c10::Error);
    EXPECT_TRUE(all_equal(*net, *plain_net(1)));
  }
}

TEST(ModuleTo, ADispatchedModuleMayStillChangeItsDtype) {
  auto net = materialized_net(7);
  dispatch_model(net, torch::kCPU);
  net->to(torch::kCPU);
  net->to(torch::kDouble);
  EXPECT_EQ(net->first->weight.scalar_type(), torch::kDouble);
  report_of(Rule::MoveAfterDispatch, [&] { net->to(kFakeDevice); });
  report_of(Rule::MoveAfterDispatch, [&] { net->to(kFakeDevice, torch::kFloat); });
  EXPECT_TRUE(net->first->weight.is_cpu());
}

TEST(SetData, DataIsNotReplacedByATensorWithoutData) {
  auto real = torch::ones({2, 2});
  const auto net = init_empty_weights([] { return torch::nn::Linear(2, 2); });
  EXPECT_THROW(real.set_data(net->weight), c10::Error);
  EXPECT_TRUE(torch::equal(real, torch::ones({2, 2})));
  auto other = torch::empty({2, 2}, torch::kMeta);
  other.set_data(net->weight.detach());
  EXPECT_EQ(state_of(other), State::Declared);
}

TEST(Clone, OfAnEmptyModuleIsEmptyOutsideTheScope) {
  auto net = empty_net();
  const auto copy = std::dynamic_pointer_cast<SmallNetImpl>(net->clone());
  EXPECT_EQ(state_of(*copy), State::Declared);
  for (const auto& tensor : copy->parameters()) {
    EXPECT_EQ(state_of(tensor), State::Declared);
  }
  const auto report =
      report_of(Rule::MetaDataDependent, [&] { (void)copy->last->weight.sum().item<float>(); });
  EXPECT_THAT(report, HasSubstr("'last.weight'"));
  EXPECT_THAT(report, HasSubstr("InitEmptyWeights scope at"));
  EXPECT_FALSE(copy->first->weight.is_same(net->first->weight));
}

TEST(Clone, OfAnEmptyModuleIsEmptyInsideTheScope) {
  std::shared_ptr<torch::nn::Module> copy;
  const auto net = init_empty_weights([&] {
    SmallNet built;
    copy = built->clone();
    return built;
  });
  EXPECT_EQ(state_of(*copy), State::Declared);
  const auto name = [&] { return provenance_of(copy->named_parameters()["last.weight"]); };
  EXPECT_THAT(name().scope, HasSubstr("moves_test.cpp"));
  seed(2);
  materialize(*copy);
  EXPECT_TRUE(all_equal(*copy, *plain_net(2)));
}

TEST(Clone, OfAnEmptyModuleIsFilledLikeTheModule) {
  auto net = empty_net();
  const auto copy = net->clone();
  seed(2);
  materialize(*copy);
  EXPECT_TRUE(all_equal(*copy, *plain_net(2)));
  EXPECT_EQ(state_of(net), State::Declared);
}

TEST(Clone, OfAnEmptyModuleToADeviceIsACopyOut) {
  auto net = empty_net();
  report_of(Rule::MetaCopyOut, [&] { net->clone(c10::Device(c10::kCPU)); });
  EXPECT_EQ(state_of(net), State::Declared);
}

TEST(Clone, OfAMaterializedModuleHasNoGuard) {
  auto net = materialized_net(4);
  std::shared_ptr<torch::nn::Module> copy;
  EXPECT_EQ(guarded_calls([&] { copy = net->clone(); }), 0u);
  EXPECT_TRUE(all_equal(*copy, *net));
  EXPECT_EQ(state_of(*copy), State::Materialized);
  EXPECT_EQ(net->clone(kFakeDevice)->parameters().front().device(), kFakeDevice);
}

TEST(Clone, OfUninitializedMemoryIsUninitialized) {
  auto net = empty_net();
  to_empty(net, torch::kCPU);
  const auto copy = std::dynamic_pointer_cast<SmallNetImpl>(net->clone());
  EXPECT_EQ(state_of(*copy), State::Uninitialized);
  report_of(Rule::UninitializedRead, [&] { (void)copy->last->weight.sum(); });
}

TEST(WholeModule, ModesGradientsAndApplyDoNotNeedData) {
  auto net = empty_net();
  net->eval();
  EXPECT_FALSE(net->norm->is_training());
  net->train();
  net->zero_grad();
  int modules = 0;
  net->apply([&](torch::nn::Module&) { ++modules; });
  EXPECT_EQ(modules, 4);
  for (auto& parameter : net->parameters()) {
    parameter.set_requires_grad(false);
    EXPECT_FALSE(parameter.requires_grad());
  }
  EXPECT_EQ(state_of(net), State::Declared);
}

TEST(WholeModule, AnInitializerAppliedToAnEmptyModuleIsReplayed) {
  const auto init = [](torch::nn::Module& module) {
    if (auto* linear = module.as<torch::nn::Linear>()) {
      const torch::NoGradGuard no_grad;
      torch::nn::init::normal_(linear->weight, 0.0, 0.02);
    }
  };
  auto net = init_empty_weights([&] {
    SmallNet built;
    built->apply(init);
    return built;
  });
  seed(8);
  materialize(net);
  auto plain = plain_net(8);
  plain->apply(init);
  EXPECT_TRUE(all_equal(*net, *plain));
}

TEST(WholeModule, AnInitializerAppliedToUninitializedMemoryFillsIt) {
  auto net = empty_net();
  to_empty(net, torch::kCPU);
  const torch::NoGradGuard no_grad;
  net->apply([](torch::nn::Module& module) {
    for (auto& tensor : module.parameters(/*recurse=*/false)) {
      torch::nn::init::uniform_(tensor);
    }
    for (auto& tensor : module.buffers(/*recurse=*/false)) {
      tensor.zero_();
    }
  });
  EXPECT_EQ(state_of(net), State::Materialized);
}

TEST(WholeModule, GradientsAreZeroedOnceThereAreSome) {
  auto net = materialized_net(1);
  net->forward(torch::ones({5, 3})).sum().backward();
  net->zero_grad(/*set_to_none=*/false);
  EXPECT_TRUE(torch::equal(net->scale.grad(), torch::zeros({2})));
  net->zero_grad();
  EXPECT_FALSE(net->scale.grad().defined());
}

}  // namespace
}  // namespace metasan::testing
