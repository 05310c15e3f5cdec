// Modules whose values are kept in the memory of the host, and modules that were dispatched.
#include <metasan/metasan.h>

#include "tests/runtime/guard/expect_report.h"
#include "tests/runtime/load/support.h"
#include "tests/support/fake_device.h"

#include <gmock/gmock.h>

namespace metasan::testing {
namespace {

using ::testing::HasSubstr;

class CpuOffload : public ::testing::TestWithParam<c10::Device> {
 protected:
  c10::Device device() const { return GetParam(); }
  at::Tensor on_device(const at::Tensor& tensor) const { return tensor.to(device()); }

  static TwoLayers copy_of(const TwoLayers& module) {
    TwoLayers copy;
    const torch::NoGradGuard no_grad;
    auto values = module->named_parameters();
    for (auto& parameter : copy->named_parameters()) {
      parameter.value().copy_(values[parameter.key()]);
    }
    return copy;
  }

  TwoLayers reference_;
  TwoLayers model_ = copy_of(reference_);
  at::Tensor input_ = torch::randn({4, 2});
};

TEST_P(CpuOffload, ComputesTheSame) {
  const auto member = model_->first->weight;
  cpu_offload(model_, device());
  EXPECT_EQ(state_of(model_), State::Offloaded);
  EXPECT_TRUE(member.is_same(model_->first->weight));
  EXPECT_EQ(member.device(), device());
  const auto output = model_->forward(on_device(input_));
  EXPECT_EQ(output.device(), device());
  EXPECT_TRUE(torch::equal(output.cpu(), reference_->forward(input_)));
}

TEST_P(CpuOffload, GradientsAndTrainingAreTheSame) {
  cpu_offload(model_, device());
  const auto options = torch::optim::SGDOptions(0.1).momentum(0.9);
  torch::optim::SGD optimizer(model_->parameters(), options);
  torch::optim::SGD reference_optimizer(reference_->parameters(), options);
  for (int step = 0; step < 3; ++step) {
    optimizer.zero_grad();
    model_->forward(on_device(input_)).pow(2).sum().backward();
    EXPECT_EQ(model_->first->weight.grad().device(), device());
    optimizer.step();
    reference_optimizer.zero_grad();
    reference_->forward(input_).pow(2).sum().backward();
    reference_optimizer.step();
  }
  for (const auto& parameter : reference_->named_parameters()) {
    EXPECT_TRUE(torch::equal(model_->named_parameters()[parameter.key()].detach().clone().cpu(),
                             parameter.value()))
        << parameter.key();
  }
}

TEST_P(CpuOffload, WritesThroughViewsArriveInTheValues) {
  cpu_offload(model_, device());
  const torch::NoGradGuard no_grad;
  model_->first->weight[1].fill_(5);
  EXPECT_EQ(model_->first->weight.select(0, 1).sum().item<float>(), 10);
  model_->first->weight.t().add_(1);
  EXPECT_EQ(model_->first->weight[1][0].item<float>(), 6);
}

TEST_P(CpuOffload, AnOperatorThatResizesItsResultResizesTheTensor) {
  cpu_offload(model_, device());
  const torch::NoGradGuard no_grad;
  auto weight = model_->first->weight;
  const auto one = on_device(torch::ones({1}));
  at::add_out(weight, on_device(torch::ones({2, 3})), one);
  EXPECT_EQ(weight.sizes(), (std::vector<int64_t>{2, 3}));
  EXPECT_TRUE(torch::equal(weight.cpu(), torch::full({2, 3}, 2.0F)));
  at::add_out(weight, on_device(torch::ones({40, 2})), one);
  EXPECT_EQ(weight.sizes(), (std::vector<int64_t>{40, 2}));
  EXPECT_EQ(weight.sum().item<float>(), 160);
  EXPECT_EQ(state_of(weight), State::Offloaded);
}

TEST_P(CpuOffload, InPlaceViewsChangeTheTensor) {
  cpu_offload(model_, device());
  const torch::NoGradGuard no_grad;
  const auto weight = model_->first->weight;
  const auto transposed = reference_->first->weight.detach().t();
  weight.t_();
  EXPECT_EQ(weight.sizes(), transposed.sizes());
  EXPECT_TRUE(torch::equal(weight.cpu(), transposed));
  weight.unsqueeze_(0);
  EXPECT_EQ(weight.sum(0).cpu().sizes(), transposed.sizes());
  EXPECT_EQ(state_of(weight), State::Offloaded);
}

TEST_P(CpuOffload, AnotherStorageEndsIt) {
  cpu_offload(model_, device());
  const torch::NoGradGuard no_grad;
  const auto weight = model_->first->weight;
  const auto other = model_->second->weight;
  weight.set_(on_device(torch::ones({3})));
  EXPECT_EQ(state_of(weight), State::Materialized);
  EXPECT_EQ(weight.sum().item<float>(), 3);
  auto plain = on_device(torch::zeros({1}));
  plain.set_(other);
  EXPECT_EQ(state_of(plain), State::Offloaded);
  EXPECT_TRUE(torch::equal(plain.cpu(), reference_->second->weight));
}

TEST_P(CpuOffload, ConjugateAndNegativeViewsAreWhatTheySay) {
  struct PhasesImpl : torch::nn::Module {
    PhasesImpl() { phases = register_buffer("phases", torch::randn({3}, torch::kComplexFloat)); }
    at::Tensor phases;
  };
  auto model = std::make_shared<PhasesImpl>();
  const auto phases = model->phases.clone();
  cpu_offload(model, device());
  EXPECT_TRUE(torch::equal(model->phases.conj().clone().cpu(), phases.conj()));
  EXPECT_TRUE(torch::equal((model->phases.conj() * 2).cpu(), phases.conj() * 2));
  EXPECT_TRUE(torch::equal(at::imag(model->phases.conj()).clone().cpu(), at::imag(phases.conj())));
  if (device().is_cpu()) {  // the fake device itself does not write through such a view
    model->phases.conj().fill_(c10::complex<float>(1, 2));
    EXPECT_EQ(model->phases[0].item<c10::complex<float>>(), c10::complex<float>(1, -2));
  }
}

TEST_P(CpuOffload, ARawAccessIsRefused) {
  cpu_offload(model_, device());
  try {
    model_->first->weight.data_ptr();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const c10::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("meta-raw-access"));
    EXPECT_THAT(error.what(), HasSubstr("'first.weight'"));
    EXPECT_THAT(error.what(), HasSubstr("take the pointer of a copy: tensor.clone()"));
  }
  EXPECT_NE(model_->first->weight.clone().data_ptr(), nullptr);
}

TEST_P(CpuOffload, MovingTheModuleIsRefused) {
  cpu_offload(model_, device());
  const auto elsewhere = device().is_cpu() ? kFakeDevice : c10::Device(c10::kCPU);
  const auto report = report_of(Rule::MoveAfterDispatch, [&] { model_->to(elsewhere); });
  EXPECT_THAT(report,
              HasSubstr("You can't move a model that has some modules offloaded to cpu or disk."));
  EXPECT_THAT(report, HasSubstr("'first.weight'"));
  EXPECT_EQ(state_of(model_), State::Offloaded);
  model_->to(device());  // it is there already
  EXPECT_EQ(state_of(model_), State::Offloaded);
}

TEST_P(CpuOffload, SavingTheModuleIsRefused) {
  cpu_offload(model_, device());
  std::stringstream file;
  if (device().is_cpu()) {
    report_of(Rule::MetaSaved, [&] { torch::save(model_, file); });
  } else {  // LibTorch leaves the hook that MetaSan needs to the backend itself
    EXPECT_THROW(torch::save(model_, file), c10::Error);
  }
}

TEST_P(CpuOffload, CloningMaterializes) {
  cpu_offload(model_, device());
  const auto clone = std::dynamic_pointer_cast<torch::nn::LinearImpl>(model_->first->clone());
  EXPECT_EQ(state_of(clone->weight), State::Materialized);
  EXPECT_TRUE(torch::equal(clone->weight.cpu(), reference_->first->weight));
}

TEST_P(CpuOffload, TiedTensorsStayTied) {
  struct TiedImpl : torch::nn::Module {
    TiedImpl() {
      embedding = register_parameter("embedding", torch::randn({4, 4}));
      head = register_parameter("head", embedding.detach());
    }
    at::Tensor embedding, head;
  };
  auto tied = std::make_shared<TiedImpl>();
  cpu_offload(tied, device());
  const torch::NoGradGuard no_grad;
  tied->embedding.fill_(3);
  EXPECT_EQ(tied->head.sum().item<float>(), 48);
}

TEST_P(CpuOffload, TheHistoryIsKept) {
  TempDirectory directory;
  const auto path =
      directory.write("model.safetensors", safetensors_of(guard::named_tensors(*reference_)));
  auto model = init_empty_weights([] { return TwoLayers(); });
  load_checkpoint_in_model(model, path);
  cpu_offload(model, device());
  const auto elsewhere = device().is_cpu() ? kFakeDevice : c10::Device(c10::kCPU);
  const auto report = report_of(Rule::MoveAfterDispatch, [&] { model->to(elsewhere); });
  EXPECT_THAT(report, HasSubstr("InitEmptyWeights scope at"));
  EXPECT_THAT(report, HasSubstr("loaded from "));
  EXPECT_THAT(report, HasSubstr("model.safetensors"));
  EXPECT_THAT(report, HasSubstr("offloaded to the host"));
}

TEST_P(CpuOffload, AModuleWithoutDataIsRefusedUnchanged) {
  auto empty = init_empty_weights([] { return TwoLayers(); });
  report_of(Rule::DispatchWithoutWeights, [&] { cpu_offload(empty, device()); });
  EXPECT_EQ(state_of(empty), State::Declared);
  to_empty(empty, torch::kCPU);
  report_of(Rule::UninitializedRead, [&] { cpu_offload(empty, device()); });
  EXPECT_EQ(state_of(empty), State::Uninitialized);
}

INSTANTIATE_TEST_SUITE_P(Devices, CpuOffload,
                         ::testing::Values(c10::Device(c10::kCPU), kFakeDevice),
                         [](const auto& info) { return info.param.is_cpu() ? "Cpu" : "Fake"; });

TEST(Placed, MovingADispatchedModuleIsRefusedUnchanged) {
  TwoLayers model;
  dispatch_model(model, torch::kCPU);
  EXPECT_EQ(state_of(model), State::Materialized);
  const auto report = report_of(Rule::MoveAfterDispatch, [&] { model->to(kFakeDevice); });
  EXPECT_THAT(report, HasSubstr("'first.weight'"));
  EXPECT_THAT(report, HasSubstr("from cpu to "));
  EXPECT_TRUE(model->first->weight.is_cpu());
  model->to(torch::kCPU);
  model->to(torch::kDouble);
  EXPECT_EQ(model->first->weight.scalar_type(), torch::kDouble);
  dispatch_model(model, kFakeDevice);  // another map is no move
  EXPECT_EQ(model->first->weight.device(), kFakeDevice);
  report_of(Rule::MoveAfterDispatch, [&] { model->to(torch::kCPU); });
}

TEST(Placed, ACopyOfOneWeightIsNoMove) {
  TwoLayers model;
  dispatch_model(model, torch::kCPU);
  EXPECT_EQ(model->first->weight.to(kFakeDevice).device(), kFakeDevice);
  EXPECT_EQ(state_of(model->first->weight.detach().clone()), State::Materialized);
}

}  // namespace
}  // namespace metasan::testing
