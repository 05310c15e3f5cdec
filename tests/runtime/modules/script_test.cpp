// TorchScript modules: loaded on meta, loaded inside the scope, and with attributes without data.
#include "tests/runtime/modules/support.h"

#include <torch/script.h>

#include <sstream>

namespace metasan::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

torch::jit::Module linear(const at::Tensor& weight) {
  torch::jit::Module module("__torch__.Linear");
  module.register_parameter("weight", weight, /*is_buffer=*/false);
  module.define(R"(
    def forward(self, x):
        return torch.matmul(x, torch.t(self.weight))
  )");
  return module;
}

/// TorchScript's interpreter and LibTorch's own accesses to memory throw errors of their own kinds.
template <typename Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

class Script : public ::testing::Test {
 protected:
  Script() {
    std::ostringstream file;
    linear(weight_).save(file);
    bytes_ = std::move(file).str();
  }

  torch::jit::Module load(std::optional<c10::Device> device = std::nullopt) const {
    std::istringstream file(bytes_);
    return torch::jit::load(file, device);
  }
  static at::Tensor run(torch::jit::Module module, const at::Tensor& x) {
    return module.forward({x}).toTensor();
  }

  at::Tensor weight_ = torch::arange(6, torch::kFloat).view({2, 3});
  at::Tensor input_ = torch::ones({1, 3});
  std::string bytes_;
};

TEST_F(Script, AModuleOnMetaIsReportedWhenItsValuesAreNeeded) {
  const auto module = load(torch::Device(torch::kMeta));
  const auto weight = module.attr("weight").toTensor();
  EXPECT_EQ(state_of(weight), State::Declared);
  report_of(Rule::MetaCopyOut, [&] { (void)weight.cpu(); });
  report_of(Rule::MetaDataDependent, [&] { (void)weight.sum().item<float>(); });
  // LibTorch computes on, and the first one to look at the result learns of it.
  report_of(Rule::MetaCopyOut, [&] { (void)run(module, input_).cpu(); });
}

TEST_F(Script, AModuleOnMetaIsNotSavedWithoutItsValues) {
  std::ostringstream file;
  report_of(Rule::MetaSaved, [&] { load(torch::Device(torch::kMeta)).save(file); });
}

TEST_F(Script, LoadingInsideTheScopeGivesTheData) {
  std::optional<torch::jit::Module> module;
  {
    const InitEmptyWeights scope;
    module = load();
    EXPECT_EQ(run(*module, torch::tensor({{1.0F, 0.0F, 0.0F}}))[0][1].item<float>(), 3);
  }
  const auto weight = module->attr("weight").toTensor();
  EXPECT_TRUE(torch::equal(weight, weight_));
  EXPECT_EQ(guarded_calls([&] { (void)run(*module, input_); }), 0u);
}

TEST_F(Script, ADeclaredAttributeIsReportedByName) {
  const auto net = init_empty_weights([] { return torch::nn::Linear(3, 2); });
  const auto module = linear(net->weight);
  EXPECT_THAT(error_of([&] { (void)run(module, input_); }),
              AllOf(HasSubstr("MetaSan: meta-mixed"), HasSubstr("'weight'")));
  std::ostringstream file;
  const auto report = report_of(Rule::MetaSaved, [&] { module.save(file); });
  EXPECT_THAT(report, HasSubstr("'weight'"));
}

TEST_F(Script, ADeclaredAttributeIsFilledInPlace) {
  const auto net = init_empty_weights([] { return torch::nn::Linear(3, 2); });
  const auto module = linear(net->weight);
  EXPECT_THAT(error_of([&] { (void)module.deepcopy(); }), HasSubstr("MetaSan: meta-raw-access"));
  materialize(net);
  EXPECT_TRUE(torch::equal(run(module, input_), input_.matmul(net->weight.t())));
  std::stringstream file;
  module.save(file);
  EXPECT_TRUE(torch::equal(torch::jit::load(file).attr("weight").toTensor(), net->weight));
}

TEST_F(Script, OffloadedAttributesComputeAndAreNotSaved) {
  auto net = torch::nn::Linear(3, 2);
  const auto expected = input_.matmul(net->weight.t());
  cpu_offload(net, torch::kCPU);
  const auto module = linear(net->weight);
  EXPECT_TRUE(torch::equal(run(module, input_), expected));
  std::ostringstream file;
  report_of(Rule::MetaSaved, [&] { module.save(file); });
}

TEST_F(Script, MovingAnEmptyModuleIsACopyOut) {
  const auto net = init_empty_weights([] { return torch::nn::Linear(3, 2); });
  auto module = linear(net->weight);
  report_of(Rule::MetaCopyOut, [&] { module.to(torch::kCPU); });
}

}  // namespace
}  // namespace metasan::testing
