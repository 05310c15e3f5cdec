// torch::save and torch::load of modules, tensors and optimizers, in every state.
#include "tests/runtime/modules/support.h"

#include <sstream>

namespace metasan::testing {
namespace {

using ::testing::HasSubstr;

std::string saved(const SmallNet& net) {
  std::ostringstream file;
  torch::save(net, file);
  return std::move(file).str();
}

void load(SmallNet& net, const std::string& bytes) {
  std::istringstream file(bytes);
  torch::load(net, file);
}

class Serialization : public ::testing::Test {
 protected:
  SmallNet plain_ = plain_net(11);
  std::string bytes_ = saved(plain_);
};

TEST_F(Serialization, SavingAnEmptyModuleIsReported) {
  auto net = empty_net();
  const auto report = report_of(Rule::MetaSaved, [&] { saved(net); });
  EXPECT_THAT(report, HasSubstr("torch::save"));
}

TEST_F(Serialization, SavingAnEmptyTensorIsReportedAloneAndInAVector) {
  auto net = empty_net();
  std::ostringstream file;
  report_of(Rule::MetaSaved, [&] { torch::save(net->scale.detach(), file); });
  const std::vector<at::Tensor> tensors{torch::ones({2}), net->scale.detach()};
  const auto report = report_of(Rule::MetaSaved, [&] { torch::save(tensors, file); });
  EXPECT_THAT(report, HasSubstr("'scale'"));
  report_of(Rule::MetaSaved, [&] { (void)torch::pickle_save(net->scale.detach()); });
}

TEST_F(Serialization, AMaterializedModuleIsSavedAsAnyOther) {
  EXPECT_EQ(saved(materialized_net(11)), bytes_);
}

TEST_F(Serialization, LoadingFillsAnEmptyModule) {
  auto net = empty_net();
  load(net, bytes_);
  EXPECT_EQ(state_of(net), State::Materialized);
  EXPECT_TRUE(all_equal(*net, *plain_));
  EXPECT_EQ(guarded_calls([&] { net->forward(torch::ones({5, 3})).sum().backward(); }), 0u);
  EXPECT_TRUE(net->first->weight.grad().defined());
}

TEST_F(Serialization, LoadingFillsUninitializedMemory) {
  auto net = empty_net();
  to_empty(net, torch::kCPU);
  load(net, bytes_);
  EXPECT_EQ(state_of(net), State::Materialized);
  EXPECT_TRUE(all_equal(*net, *plain_));
}

TEST_F(Serialization, LoadingInsideTheScopeFillsTheModuleToo) {
  SmallNet net{nullptr};
  {
    const InitEmptyWeights scope;
    net = SmallNet();
    load(net, bytes_);
  }
  EXPECT_EQ(state_of(net), State::Materialized);
  EXPECT_TRUE(all_equal(*net, *plain_));
}

// What LibTorch reads in inference mode are inference tensors. That they cannot be trained is an
// error of LibTorch, and no gradient that silently stays away.
TEST_F(Serialization, LoadingInInferenceModeFillsAModuleForInference) {
  auto net = empty_net();
  {
    const c10::InferenceMode inference;
    load(net, bytes_);
  }
  EXPECT_TRUE(all_equal(*net, *plain_));
  EXPECT_EQ(state_of(net), State::Materialized);
  EXPECT_THROW(net->forward(torch::ones({5, 3})).sum().backward(), c10::Error);
}

TEST_F(Serialization, TensorsAreLoadedInsideTheScopeWithTheirData) {
  std::stringstream file;
  torch::save(std::vector<at::Tensor>{torch::arange(4), torch::ones({2, 2}).t()}, file);
  const InitEmptyWeights scope;
  std::vector<at::Tensor> tensors;
  torch::load(tensors, file);
  EXPECT_EQ(tensors.at(0)[3].item<int64_t>(), 3);
  EXPECT_EQ(tensors.at(1).sum().item<float>(), 4);
}

TEST_F(Serialization, AnEmptyFileIntoAModuleWithDataLeavesIt) {
  // A file of a module without data cannot be made with MetaSan: one that LibTorch alone wrote.
  std::ostringstream file;
  auto options = metasan::options();
  options.guard_meta = false;
  set_options(options);
  torch::serialize::OutputArchive archive;
  archive.write("weight", torch::empty({2, 2}, torch::kMeta));
  archive.save_to(file);
  set_options({});

  auto linear = torch::nn::Linear(torch::nn::LinearOptions(2, 2).bias(false));
  const auto before = linear->weight.detach().clone();
  std::istringstream input(std::move(file).str());
  EXPECT_THROW(torch::load(linear, input), c10::Error);
  EXPECT_TRUE(torch::equal(linear->weight, before));
}

template <typename Optimizer>
void step(SmallNet& net, Optimizer& optimizer) {
  optimizer.zero_grad();
  net->forward(torch::linspace(0, 1, 15).view({5, 3})).pow(2).sum().backward();
  optimizer.step();
}

TEST_F(Serialization, OptimizersOfAMaterializedModuleAreSavedAndLoaded) {
  auto net = materialized_net(11);
  torch::optim::Adam optimizer(net->parameters(), 0.01);
  step(net, optimizer);
  std::stringstream file;
  torch::save(optimizer, file);
  const auto bytes = saved(net);

  auto resumed = empty_net();
  torch::optim::Adam resumed_optimizer(resumed->parameters(), 0.01);
  load(resumed, bytes);
  torch::load(resumed_optimizer, file);
  step(net, optimizer);
  step(resumed, resumed_optimizer);
  EXPECT_TRUE(all_equal(*resumed, *net));
}

TEST_F(Serialization, OptimizerStateWithoutDataIsNotWritten) {
  auto net = empty_net();
  torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  for (auto& parameter : net->parameters()) {
    parameter.mutable_grad() = torch::zeros_like(parameter);
  }
  optimizer.step();
  std::ostringstream file;
  report_of(Rule::MetaSaved, [&] { torch::save(optimizer, file); });
}

}  // namespace
}  // namespace metasan::testing
