// What the checkpoint lacks: tensors declared under a scope get the values of their construction.
#include <metasan/metasan.h>

#include "tests/runtime/load/support.h"
#include "tests/support/fake_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace metasan::testing {
namespace {

using ::testing::ElementsAre;

struct ModelImpl : torch::nn::Module {
  ModelImpl()
      : body(register_module("body", torch::nn::Linear(4, 4))),
        head(register_module("head", torch::nn::Linear(4, 2))),
        table(register_buffer(
            "table", 1.0 / torch::pow(10000.0, torch::arange(0, 8, 2, torch::kFloat) / 8))),
        positions(register_buffer("positions", torch::arange(4).expand({1, -1}))) {
    const torch::NoGradGuard no_grad;
    head->bias.zero_();
  }
  torch::nn::Linear body;
  torch::nn::Linear head;
  at::Tensor table;
  at::Tensor positions;
};
TORCH_MODULE(Model);

const LoadOptions kLacking{.allow_missing = {"head.*", "table", "positions"}};

class InitialValues : public ::testing::Test {
 protected:
  static Model empty() {
    return init_empty_weights([] { return Model(); });
  }

  TempDirectory directory_;
  Model reference_;
  std::filesystem::path path_ = directory_.write(
      "model.safetensors", safetensors_of({{"body.weight", reference_->body->weight},
                                           {"body.bias", reference_->body->bias}}));
};

TEST_F(InitialValues, ReplaceWhatTheCheckpointLacks) {
  Model model = empty();
  const LoadReport report = load_checkpoint_in_model(model, path_, kLacking);
  EXPECT_THAT(report.loaded, ElementsAre("body.bias", "body.weight"));
  EXPECT_THAT(report.initialized, ElementsAre("head.bias", "head.weight", "positions", "table"));
  EXPECT_EQ(report.missing, report.initialized);
  EXPECT_EQ(state_of(model), State::Materialized);
  EXPECT_TRUE(torch::equal(model->table, reference_->table));
  EXPECT_TRUE(torch::equal(model->positions, reference_->positions));
  EXPECT_TRUE(torch::equal(model->head->bias, torch::zeros({2})));
  EXPECT_TRUE(model->head->weight.requires_grad());
  EXPECT_TRUE(torch::equal(model->body->weight, reference_->body->weight));
}

TEST_F(InitialValues, DrawNumbersOnlyForWhatIsMissing) {
  Model model = empty();
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  generator.set_current_seed(5);
  load_checkpoint_in_model(model, path_, kLacking);
  generator.set_current_seed(5);
  EXPECT_TRUE(torch::equal(model->head->weight, torch::nn::Linear(4, 2)->weight));
}

TEST_F(InitialValues, HaveTheDtypeOfTheLoad) {
  Model model = empty();
  load_checkpoint_in_model(model, path_,
                           {.dtype = torch::kHalf, .allow_missing = kLacking.allow_missing});
  EXPECT_EQ(model->head->weight.scalar_type(), torch::kHalf);
  EXPECT_TRUE(torch::equal(model->table, reference_->table.to(torch::kHalf)));
  EXPECT_EQ(model->positions.scalar_type(), torch::kLong);
}

TEST_F(InitialValues, AreMadeOnTheDeviceOfTheLoad) {
  Model model = empty();
  load_checkpoint_and_dispatch(model, path_, kFakeDevice, kLacking);
  EXPECT_EQ(model->table.device(), kFakeDevice);
  EXPECT_TRUE(torch::equal(model->table.cpu(), reference_->table));
}

TEST_F(InitialValues, LeaveTensorsWithDataAlone) {
  Model model;
  const auto head = model->head->weight.detach().clone();
  const LoadReport report = load_checkpoint_in_model(model, path_, kLacking);
  EXPECT_THAT(report.initialized, ElementsAre());
  EXPECT_TRUE(torch::equal(model->head->weight, head));
}

TEST_F(InitialValues, ThatCannotBeMadeStopTheLoad) {
  struct Broken : ModelImpl {
    Broken() {
      auto broken = register_buffer("broken", torch::zeros({4}));
      broken.index_put_({torch::tensor({9})}, torch::ones({1}));
    }
  };
  const auto model = init_empty_weights([] { return std::make_shared<Broken>(); });
  LoadOptions options = kLacking;
  options.allow_missing.emplace_back("broken");
  const Snapshot before(*model);
  EXPECT_THROW(load_checkpoint_in_model(model, path_, options), c10::Error);
  EXPECT_TRUE(before.matches(*model));
}

}  // namespace
}  // namespace metasan::testing
