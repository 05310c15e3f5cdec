// A checkpoint bound to a module: what reports say of it, and calls that load what they need.
#include <metasan/metasan.h>

#include "tests/runtime/guard/expect_report.h"
#include "tests/runtime/load/support.h"
#include "tests/support/fake_device.h"

#include <gmock/gmock.h>

#include <thread>

// Not in MetaSan's own namespace: a report says where it happened in the user's code, which that is
// not.
namespace {

using namespace metasan;           // NOLINT(google-build-using-namespace)
using namespace metasan::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;

class Heal : public ::testing::Test {
 protected:
  void SetUp() override { set_action(Action::Heal); }
  void TearDown() override { set_options(before_); }

  void set_action(Action action) {
    auto changed = options();
    changed.action = action;
    changed.log_path = (directory_.path() / "log").string();
    set_options(changed);
  }
  TwoLayers empty() {
    auto model = init_empty_weights([] { return TwoLayers(); });
    bind_checkpoint(model, path_);
    return model;
  }
  std::string log() const {
    std::string text;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
      if (entry.path().filename().string().starts_with("log")) {
        std::ifstream file(entry.path());
        text += std::string(std::istreambuf_iterator<char>(file), {});
      }
    }
    return text;
  }

  const Options before_ = options();
  TempDirectory directory_;
  TwoLayers reference_;
  std::filesystem::path path_ =
      directory_.write("model.safetensors", safetensors_of(guard::named_tensors(*reference_)));
  at::Tensor input_ = torch::randn({4, 2});
};

TEST_F(Heal, AForwardLoadsWhatItNeeds) {
  auto model = empty();
  EXPECT_EQ(state_of(model), State::Declared);
  EXPECT_TRUE(torch::equal(model->first->forward(input_), reference_->first->forward(input_)));
  EXPECT_EQ(state_of(model->first->weight), State::Materialized);
  EXPECT_EQ(state_of(model->second->weight), State::Declared);
  EXPECT_TRUE(torch::equal(model->forward(input_), reference_->forward(input_)));
  EXPECT_EQ(state_of(model), State::Materialized);
  EXPECT_THAT(log(), HasSubstr("loaded 'first.bias', 'first.weight' from "));
}

TEST_F(Heal, EveryViolationIsHealed) {
  const torch::NoGradGuard no_grad;
  const auto& weight = reference_->first->weight;
  const auto fresh = [&] { return empty()->first->weight; };
  EXPECT_EQ(fresh()[0][0].item<float>(), weight[0][0].item<float>());
  EXPECT_TRUE(torch::equal(fresh().cpu(), weight));
  EXPECT_TRUE(torch::equal(fresh().t(), weight.t()));
  EXPECT_TRUE(
      torch::equal(torch::mv(fresh(), torch::ones({2})), torch::mv(weight, torch::ones({2}))));
  EXPECT_EQ(fresh().nonzero().size(0), 6);
  const auto target = fresh();
  target.copy_(torch::ones({3, 2}));
  EXPECT_EQ(target.sum().item<float>(), 6);
}

TEST_F(Heal, MovingAModuleBecomesALoadOntoThatDevice) {
  auto model = empty();
  model->to(kFakeDevice);
  EXPECT_EQ(state_of(model), State::Materialized);
  for (const auto& parameter : model->named_parameters()) {
    EXPECT_EQ(parameter.value().device(), kFakeDevice);
    EXPECT_TRUE(
        torch::equal(parameter.value().cpu(), reference_->named_parameters()[parameter.key()]));
  }
  EXPECT_THAT(log(), HasSubstr(kFakeDevice.str()));
}

TEST_F(Heal, EachPlaceIsReportedOnceAndSaysWhichLineToChange) {
  for (int i = 0; i < 3; ++i) {
    auto model = empty();
    model->to(torch::kCPU);
  }
  const auto text = log();
  EXPECT_EQ(text.find("loaded 'first.weight'"), text.rfind("loaded 'first.weight'"));
  EXPECT_THAT(text, HasSubstr("heal_test.cpp:"));
  EXPECT_THAT(text, HasSubstr("load_checkpoint_and_dispatch"));
}

TEST_F(Heal, ACastOfTheEmptyModuleHolds) {
  auto model = empty();
  model->to(torch::kDouble);
  EXPECT_EQ(state_of(model), State::Declared);
  const auto output = model->forward(input_.to(torch::kDouble));
  EXPECT_EQ(model->first->weight.scalar_type(), torch::kDouble);
  EXPECT_TRUE(torch::allclose(output.to(torch::kFloat), reference_->forward(input_)));
}

TEST_F(Heal, UninitializedMemoryIsFilled) {
  auto model = empty();
  to_empty(model, torch::kCPU);
  EXPECT_TRUE(torch::equal(model->forward(input_), reference_->forward(input_)));
}

TEST_F(Heal, WhatTheCheckpointLacksIsReportedWithTheNearestName) {
  const auto path = directory_.write(
      "other.safetensors", safetensors_of({{"first.weigth", reference_->first->weight},
                                           {"second.weight", reference_->second->weight}}));
  auto model = init_empty_weights([] { return TwoLayers(); });
  bind_checkpoint(model, path);
  const auto report = report_of(Rule::MetaCopyOut, [&] { model->first->weight.cpu(); });
  EXPECT_THAT(report, HasSubstr("other.safetensors"));
  EXPECT_THAT(report, HasSubstr("has no 'first.weight'; the nearest name is 'first.weigth'"));
  EXPECT_TRUE(torch::equal(model->second->weight.cpu(), reference_->second->weight));
}

TEST_F(Heal, WithoutTheOptionABindingOnlySpeaksInReports) {
  set_action(Action::Throw);
  auto model = empty();
  const auto report = report_of(Rule::MetaCopyOut, [&] { model->to(torch::kCPU); });
  EXPECT_THAT(report, HasSubstr("model.safetensors"));
  EXPECT_THAT(report, HasSubstr("has it, as 'first.weight'"));
  EXPECT_EQ(state_of(model), State::Declared);
}

TEST_F(Heal, TheOptionsCanNameTheCheckpoint) {
  auto changed = options();
  changed.checkpoint = path_.string();
  set_options(changed);
  auto model = init_empty_weights([] { return TwoLayers(); });
  EXPECT_TRUE(torch::equal(model->forward(input_), reference_->forward(input_)));
}

TEST_F(Heal, ATiedTensorIsLoadedUnderTheNameThatTheCheckpointHas) {
  struct TiedImpl : torch::nn::Module {
    TiedImpl() {
      embedding = register_parameter("embedding", torch::randn({4, 4}));
      head = register_parameter("head", embedding.detach());
    }
    at::Tensor embedding, head;
  };
  const auto values = torch::randn({4, 4});
  const auto path = directory_.write("tied.safetensors", safetensors_of({{"head", values}}));
  auto tied = init_empty_weights([] { return std::make_shared<TiedImpl>(); });
  bind_checkpoint(tied, path);
  EXPECT_TRUE(torch::equal(tied->embedding.cpu(), values));
  EXPECT_TRUE(tied->head.is_alias_of(tied->embedding));
}

TEST_F(Heal, AMismatchIsFoundWhenItIsBound) {
  const auto path =
      directory_.write("wrong.safetensors", safetensors_of({{"first.weight", torch::ones({5})}}));
  auto model = init_empty_weights([] { return TwoLayers(); });
  EXPECT_THROW(bind_checkpoint(model, path), CheckpointError);
  EXPECT_THROW(bind_checkpoint(model, "nowhere.safetensors"), CheckpointError);
}

TEST_F(Heal, ABoundModuleDiesWithItsOwner) {
  c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl> weak(
      empty()->first->weight.getIntrusivePtr());
  EXPECT_TRUE(weak.expired());
}

TEST_F(Heal, ThreadsHealModulesOfTheirOwn) {
  std::vector<std::thread> threads;
  std::atomic<int> equal = 0;
  const auto expected = reference_->forward(input_);
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 10; ++round) {
        auto model = empty();
        equal += torch::equal(model->forward(input_), expected);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(equal, 80);
}

}  // namespace
