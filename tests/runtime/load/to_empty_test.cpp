// Memory without values for empty modules: what it gives, what it leaves alone, and what a load
// makes of it.
#include <metasan/metasan.h>

#include "tests/runtime/load/support.h"
#include "tests/support/fake_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace metasan::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ToEmpty : public ::testing::Test {
 protected:
  static TwoLayers empty() {
    return init_empty_weights([] { return TwoLayers(); });
  }
  static void fill(const torch::nn::Module& module, double value) {
    const torch::NoGradGuard no_grad;
    for (const auto& [name, tensor] : guard::named_tensors(module)) {
      tensor.fill_(value);
    }
  }

  TempDirectory directory_;
  TwoLayers reference_;
  std::filesystem::path path_ =
      directory_.write("model.safetensors", safetensors_of(guard::named_tensors(*reference_)));
};

TEST_F(ToEmpty, GivesMemoryThatCanBeWrittenAndComputedWith) {
  TwoLayers model = empty();
  to_empty(model, torch::kCPU);
  EXPECT_EQ(state_of(model), State::Uninitialized);
  fill(*model, 1);
  EXPECT_EQ(model->forward(torch::ones({1, 2})).sum().item<float>(), 2 * (3 * 3 + 1));
}

TEST_F(ToEmpty, KeepsTheTensorObjects) {
  TwoLayers model = empty();
  const at::Tensor member = model->first->weight;
  const at::Tensor transposed = model->first->weight.t();
  to_empty(*model, torch::kCPU);
  fill(*model, 3);
  for (const at::Tensor& seen :
       {member, transposed, model->first->weight, model->named_parameters()["first.weight"]}) {
    EXPECT_TRUE(torch::equal(seen, torch::full(seen.sizes(), 3.0F)));
  }
  EXPECT_TRUE(member.is_same(model->first->weight));
  EXPECT_TRUE(member.is_leaf());
  EXPECT_TRUE(member.requires_grad());
}

TEST_F(ToEmpty, KeepsWhatIsFrozenAndTheStrides) {
  struct Odd : torch::nn::Module {
    Odd() {
      frozen = register_parameter("frozen", torch::empty({2}), /*requires_grad=*/false);
      transposed = register_parameter("transposed", torch::empty({3, 2}).t());
      half = register_buffer("half", torch::empty({2}, torch::kHalf));
      none = register_buffer("none", torch::empty({0, 3}));
      scalar = register_buffer("scalar", torch::empty({}));
    }
    at::Tensor frozen, transposed, half, none, scalar;
  };
  const auto model = init_empty_weights([] { return std::make_shared<Odd>(); });
  to_empty(model, torch::kCPU);
  EXPECT_EQ(state_of(model), State::Uninitialized);
  EXPECT_FALSE(model->frozen.requires_grad());
  EXPECT_THAT(model->transposed.strides(), ElementsAre(1, 2));
  EXPECT_EQ(model->half.scalar_type(), torch::kHalf);
  EXPECT_THAT(model->none.sizes(), ElementsAre(0, 3));
  EXPECT_EQ(model->scalar.dim(), 0);
}

TEST_F(ToEmpty, TensorsThatShareStorageGoOnSharingIt) {
  struct Tied : torch::nn::Module {
    Tied() {
      base = register_buffer("base", torch::empty({4}));
      bits = register_buffer("bits", base.view(torch::kInt));
      left = register_parameter("left", base.detach().narrow(0, 0, 3));
      right = register_parameter("right", base.detach().narrow(0, 1, 3));
    }
    at::Tensor base, bits, left, right;
  };
  const auto model = init_empty_weights([] { return std::make_shared<Tied>(); });
  to_empty(model, torch::kCPU);
  const torch::NoGradGuard no_grad;
  model->left.fill_(1);
  model->right.fill_(2);
  EXPECT_TRUE(torch::equal(model->base, torch::tensor({1.0F, 2.0F, 2.0F, 2.0F})));
  EXPECT_TRUE(model->bits.is_alias_of(model->base));
  EXPECT_TRUE(torch::equal(model->bits, model->base.view(torch::kInt)));
}

TEST_F(ToEmpty, PartsOfOneStorageStayTiedWhenNothingHasTheWhole) {
  struct Halves : torch::nn::Module {
    Halves() {
      const at::Tensor base = torch::empty({4});
      left = register_buffer("left", base.narrow(0, 0, 3));
      right = register_buffer("right", base.narrow(0, 1, 3));
    }
    at::Tensor left, right;
  };
  const auto model = init_empty_weights([] { return std::make_shared<Halves>(); });
  to_empty(model, torch::kCPU);
  model->left.fill_(1);
  model->right.fill_(2);
  EXPECT_TRUE(torch::equal(model->left, torch::tensor({1.0F, 2.0F, 2.0F})));
}

TEST_F(ToEmpty, LeavesTensorsThatHaveDataAlone) {
  TwoLayers model = empty();
  load_checkpoint_in_model(
      model->first,
      directory_.write("first.safetensors", safetensors_of({{"weight", reference_->first->weight},
                                                            {"bias", reference_->first->bias}})));
  const void* before = model->first->weight.const_data_ptr();
  to_empty(model, torch::kCPU);
  EXPECT_EQ(model->first->weight.const_data_ptr(), before);
  EXPECT_TRUE(torch::equal(model->first->weight, reference_->first->weight));
  EXPECT_EQ(state_of(model), State::Uninitialized);
}

TEST_F(ToEmpty, AnOptimizerMadeBeforeTrainsWhatIsLoadedLater) {
  TwoLayers model = empty();
  torch::optim::SGD optimizer(model->parameters(), 0.5);
  to_empty(model, torch::kCPU);
  load_checkpoint_in_model(model, path_);
  model->forward(torch::ones({1, 2})).sum().backward();
  optimizer.step();
  const at::Tensor gradient = model->second->bias.grad();
  EXPECT_TRUE(torch::allclose(model->second->bias, reference_->second->bias - 0.5 * gradient));
}

TEST_F(ToEmpty, ALoadFillsIt) {
  TwoLayers model = empty();
  to_empty(model, torch::kCPU);
  const LoadReport report = load_checkpoint_in_model(model, path_);
  EXPECT_EQ(report.loaded.size(), 4U);
  EXPECT_EQ(report.bytes_mapped, report.bytes);
  const auto x = torch::randn({4, 2});
  EXPECT_TRUE(torch::equal(model->forward(x), reference_->forward(x)));
}

TEST_F(ToEmpty, TorchLoadFillsIt) {
  std::stringstream archive;
  torch::save(reference_, archive);
  TwoLayers model = empty();
  to_empty(model, torch::kCPU);
  torch::load(model, archive);
  EXPECT_TRUE(torch::equal(model->first->weight, reference_->first->weight));
}

TEST_F(ToEmpty, InsideAScopeAndInInferenceModeItIsOrdinaryMemory) {
  TwoLayers model = empty();
  {
    const InitEmptyWeights scope;
    const c10::InferenceMode inference;
    to_empty(model, torch::kCPU);
  }
  EXPECT_EQ(state_of(model), State::Uninitialized);
  EXPECT_FALSE(model->first->weight.is_inference());
  fill(*model, 1);
  model->forward(torch::ones({1, 2})).sum().backward();
  EXPECT_TRUE(model->first->weight.grad().defined());
}

TEST_F(ToEmpty, MetaTensorsThatNobodyGuardedGetMemoryToo) {
  struct Plain : torch::nn::Module {
    Plain() { tensor = register_buffer("tensor", torch::empty({2, 3}, torch::kMeta)); }
    at::Tensor tensor;
  };
  const auto model = std::make_shared<Plain>();
  to_empty(model, torch::kCPU);
  EXPECT_TRUE(model->tensor.is_cpu());
  EXPECT_THAT(model->tensor.sizes(), ElementsAre(2, 3));
}

TEST_F(ToEmpty, AModuleWithoutTensorsAndATwiceAllocatedOneAreFine) {
  const auto none = std::make_shared<torch::nn::ReLUImpl>();
  to_empty(none, torch::kCPU);
  TwoLayers model = empty();
  to_empty(model, torch::kCPU);
  fill(*model, 1);
  to_empty(model, torch::kCPU);
  EXPECT_EQ(model->first->weight.sum().item<float>(), 6);
}

TEST_F(ToEmpty, DevicesThatAreNotThereAreAnErrorAndChangeNothing) {
  TwoLayers model = empty();
  const Snapshot before(*model);
  for (const torch::Device& device :
       {torch::Device(torch::kMeta), torch::Device(torch::kXLA), torch::Device("cpu:1")}) {
    try {
      to_empty(model, device);
      FAIL() << "accepted";
    } catch (const c10::Error& error) {
      EXPECT_THAT(std::string(error.what()),
                  HasSubstr("to_empty: the device is '" + device.str() + "'"));
    }
  }
  EXPECT_TRUE(before.matches(*model));
}

TEST_F(ToEmpty, ATensorThatIsNotStridedIsAnErrorAndChangesNothing) {
  struct Sparse : torch::nn::Module {
    Sparse() {
      register_buffer("dense", torch::empty({2}, torch::kMeta));
      register_buffer("sparse",
                      torch::empty({2, 2}, torch::device(torch::kMeta).layout(torch::kSparse)));
    }
  };
  const auto model = std::make_shared<Sparse>();
  try {
    to_empty(model, torch::kCPU);
    FAIL() << "accepted";
  } catch (const c10::Error& error) {
    EXPECT_THAT(std::string(error.what()), HasSubstr("'sparse' has the layout Sparse"));
  }
  EXPECT_EQ(state_of(model->named_buffers()["dense"]), State::Declared);
}

TEST_F(ToEmpty, OnAnotherDeviceALoadWritesIntoTheMemory) {
  TwoLayers model = empty();
  to_empty(model, kFakeDevice);
  EXPECT_EQ(model->first->weight.device(), kFakeDevice);
  EXPECT_TRUE(model->first->weight.requires_grad());
  const void* memory = model->first->weight.storage().data();
  const LoadReport report = load_checkpoint_in_model(model, path_);
  EXPECT_EQ(report.bytes_mapped, 0U);
  EXPECT_EQ(model->first->weight.storage().data(), memory);
  EXPECT_EQ(model->second->bias.device(), kFakeDevice);
  EXPECT_TRUE(torch::equal(model->first->weight.cpu(), reference_->first->weight));
  EXPECT_TRUE(torch::equal(model->second->bias.cpu(), reference_->second->bias));
}

TEST_F(ToEmpty, TensorsThatHaveDataElsewhereAreMoved) {
  TwoLayers model = empty();
  load_checkpoint_in_model(
      model->first,
      directory_.write("first.safetensors", safetensors_of({{"weight", reference_->first->weight},
                                                            {"bias", reference_->first->bias}})));
  to_empty(model, kFakeDevice);
  EXPECT_EQ(model->first->weight.device(), kFakeDevice);
  EXPECT_EQ(model->second->weight.device(), kFakeDevice);
  EXPECT_TRUE(torch::equal(model->first->weight.cpu(), reference_->first->weight));
}

TEST_F(ToEmpty, TiesOnAnotherDeviceSurviveTheLoad) {
  struct Tied : torch::nn::Module {
    Tied() {
      whole = register_parameter("whole", torch::empty({2, 2}));
      row = register_parameter("row", whole.detach()[1]);
    }
    at::Tensor whole, row;
  };
  const auto model = init_empty_weights([] { return std::make_shared<Tied>(); });
  const auto values = torch::randn({2, 2});
  const auto path = directory_.write("tied.safetensors", safetensors_of({{"whole", values}}));
  to_empty(model, kFakeDevice);
  load_checkpoint_in_model(model, path);
  EXPECT_TRUE(torch::equal(model->whole.cpu(), values));
  EXPECT_TRUE(torch::equal(model->row.cpu(), values[1]));
  EXPECT_TRUE(model->row.is_alias_of(model->whole));
}

TEST_F(ToEmpty, ALoadWithAnotherDtypeReplacesTheMemoryOnItsDevice) {
  TwoLayers model = empty();
  to_empty(model, kFakeDevice);
  load_checkpoint_in_model(model, path_, {.dtype = torch::kDouble});
  EXPECT_EQ(model->first->weight.device(), kFakeDevice);
  EXPECT_EQ(model->first->weight.scalar_type(), torch::kDouble);
  EXPECT_TRUE(
      torch::equal(model->first->weight.cpu(), reference_->first->weight.to(torch::kDouble)));
}

TEST_F(ToEmpty, LoadAndDispatchGoesToTheOtherDeviceWithoutIt) {
  TwoLayers model = empty();
  load_checkpoint_and_dispatch(model, path_, kFakeDevice);
  EXPECT_EQ(model->first->weight.device(), kFakeDevice);
  EXPECT_TRUE(torch::equal(model->first->weight.cpu(), reference_->first->weight));
  dispatch_model(model, torch::kCPU);
  EXPECT_TRUE(torch::equal(model->second->weight, reference_->second->weight));
}

}  // namespace
}  // namespace metasan::testing
