// What people hit with tensors without data, and what is right to happen: one test for each kind of
// report. Moves, reads, mixtures, lost writes, uninitialized memory, buffers, threads.
#include <metasan/metasan.h>

#include "tests/runtime/guard/expect_report.h"
#include "tests/runtime/load/support.h"
#include "tests/runtime/tape/support.h"
#include "tests/support/fake_device.h"

#include <gmock/gmock.h>

#include <cmath>
#include <sstream>
#include <thread>

namespace metasan::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TwoLayers empty_layers() {
  return init_empty_weights([] { return TwoLayers(); });
}

class FieldReports : public ::testing::Test {
 protected:
  /// A checkpoint of the module, without the tensors named in `left_out`.
  std::filesystem::path checkpoint_of(const torch::nn::Module& module,
                                      const std::vector<std::string>& left_out = {}) const {
    NamedTensors tensors;
    for (auto& [name, tensor] : guard::named_tensors(module)) {
      if (std::find(left_out.begin(), left_out.end(), name) == left_out.end()) {
        tensors.emplace_back(name, tensor);
      }
    }
    return directory_.write("model.safetensors", safetensors_of(tensors));
  }

  TempDirectory directory_;
  TwoLayers trained_;
  at::Tensor input_ = torch::ones({4, 2});
};

// --- Moves and copies out of a tensor without data ---

// The step that fills the weights was skipped; the module is moved all the same.
TEST_F(FieldReports, AMoveOfAModuleThatWasNeverFilledNamesTheTensorAndTheMissingStep) {
  auto model = empty_layers();
  EXPECT_THAT(
      report_of(Rule::MetaCopyOut, [&] { model->to(torch::kCPU); }),
      AllOf(HasSubstr("'first.weight' [3, 2] float32"), HasSubstr("load_checkpoint_and_dispatch")));
}

// A load with little memory left parameters behind, and the caller moves the module.
TEST_F(FieldReports, AMoveAfterAPartialLoadNamesWhatWasLeftOut) {
  auto model = empty_layers();
  const auto path = checkpoint_of(*trained_, {"second.bias"});
  load_checkpoint_in_model(model, path, {.allow_missing = {"second.bias"}});
  EXPECT_EQ(state_of(model), State::Materialized);  // it got its initial value
  model->to(torch::kCPU);

  // Where nothing says how it begins, it is left, and named.
  auto other = empty_layers();
  other->second->bias.set_data(torch::empty({2}, torch::kMeta));
  const auto report = report_of(Rule::WeightsMissing,
                                [&] { load_checkpoint_in_model(other, path, {.strict = false}); });
  EXPECT_THAT(report, HasSubstr("'second.bias'"));
}

// A converter reads a slice of one weight of a model that was never loaded.
TEST_F(FieldReports, ACopyOfASliceNamesTheWeightItIsPartOf) {
  auto model = empty_layers();
  EXPECT_THAT(
      report_of(Rule::MetaCopyOut, [&] { (void)model->first->weight.slice(0, 0, 2).cpu(); }),
      HasSubstr("'first.weight'"));
}

// An offloaded model is saved, and its file holds placeholders.
TEST_F(FieldReports, SavingAnOffloadedModelIsRefused) {
  cpu_offload(trained_, torch::kCPU);
  std::ostringstream file;
  EXPECT_THAT(report_of(Rule::MetaSaved, [&] { torch::save(trained_, file); }),
              AllOf(HasSubstr("'first.weight'"), HasSubstr("kept elsewhere")));
}

// Data are loaded while a scope of somebody further out is open.
TEST_F(FieldReports, ALoadInsideAScopeLoadsAndSaysThatTheScopeIsOpen) {
  const auto path = checkpoint_of(*trained_);
  TwoLayers model{nullptr};
  set_options(parse_options("deduplicate=0"));
  ::testing::internal::CaptureStderr();
  {
    const InitEmptyWeights scope;
    model = TwoLayers();
    load_checkpoint_in_model(model, path);
  }
  set_options({});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("scope-misuse"));
  EXPECT_EQ(state_of(model), State::Materialized);
  EXPECT_TRUE(torch::equal(model->first->weight, trained_->first->weight));
}

// Somebody wants an offloaded model back in memory, tensor by tensor.
TEST_F(FieldReports, TheValuesOfAnOffloadedModelCanBeTakenBack) {
  const auto weight = trained_->first->weight.detach().clone();
  cpu_offload(trained_, kFakeDevice);
  EXPECT_TRUE(torch::equal(trained_->first->weight.cpu(), weight));
  EXPECT_THAT(report_of(Rule::MoveAfterDispatch, [&] { trained_->to(torch::kCPU); }),
              HasSubstr("'first.weight'"));
  for (auto& parameter : trained_->parameters()) {
    parameter.set_data(parameter.detach().clone());
  }
  EXPECT_EQ(state_of(trained_), State::Materialized);
  trained_->to(torch::kCPU);
  EXPECT_TRUE(torch::equal(trained_->first->weight, weight));
}

// --- Values read in constructors and control flow ---

struct DropPathImpl : torch::nn::Module {
  explicit DropPathImpl(int64_t depth) {
    const auto all = torch::linspace(0, 0.3, depth);
    for (int64_t i = 0; i < depth; ++i) {
      rates.push_back(all[i].item<double>());
    }
    weight = register_parameter("weight", torch::randn({2}));
  }
  std::vector<double> rates;
  at::Tensor weight;
};
TORCH_MODULE(DropPath);

// A constructor computes rates with a tensor, and reads them.
TEST_F(FieldReports, AConstructorReadsWhatItComputedFromNumbers) {
  const auto model = init_empty_weights([] { return DropPath(4); });
  EXPECT_EQ(model->rates, DropPath(4)->rates);
  EXPECT_EQ(state_of(model), State::Declared);
}

// The text of a read says neither which tensor, nor where.
TEST_F(FieldReports, AReadSaysWhichTensorAndWhere) {
  auto model = empty_layers();
  EXPECT_THAT(
      report_of(Rule::MetaDataDependent, [&] { (void)model->first->bias[0].item<float>(); }),
      AllOf(HasSubstr("'first.bias'"), HasSubstr("field_reports_test.cpp:")));
}

// C++ has a worse text for item() than Python.
TEST_F(FieldReports, ItemSaysWhatPeopleSearchFor) {
  const auto text = HasSubstr("Tensor.item() cannot be called on meta tensors");
  auto model = empty_layers();
  EXPECT_THAT(
      report_of(Rule::MetaDataDependent, [&] { (void)model->first->bias[0].item<float>(); }), text);
  EXPECT_THAT(report_of(Rule::MetaDataDependent,
                        [] { (void)torch::empty({}, torch::kMeta).item<float>(); }),
              text);
}

// Old code breaks, as a library began to build under a scope: the report leads to the scope.
TEST_F(FieldReports, ARandomValueReadInsideAScopeNamesTheScope) {
  const InitEmptyWeights scope;
  EXPECT_THAT(report_of(Rule::MetaDataDependent, [] { (void)torch::rand({}).item<float>(); }),
              AllOf(HasSubstr("inside the empty-weights scope opened at"),
                    HasSubstr("field_reports_test.cpp:")));
}

// A check of values in a function that may be given a tensor without data.
TEST_F(FieldReports, ABranchOnValuesIsReportedAndAGuardedOneIsNot) {
  const auto index = init_empty_weights([] { return TwoLayers(); })->first->bias.detach();
  report_of(Rule::MetaDataDependent, [&] { (void)(index <= -1).any().item<bool>(); });
  EXPECT_FALSE(!index.is_meta() && (index <= -1).any().item<bool>());
}

// --- Operands with data beside operands without ---

// Some layers are without data when forward is called.
TEST_F(FieldReports, AForwardNamesTheFirstTensorWithoutData) {
  auto model = empty_layers();
  model->first = model->replace_module("first", torch::nn::Linear(2, 3));
  EXPECT_THAT(report_of(Rule::MetaMixed, [&] { (void)model->forward(input_); }),
              HasSubstr("'second.bias'"));  // the argument that comes first
}

// A linear layer of which one half was loaded.
TEST_F(FieldReports, ALinearLayerThatIsHalfLoadedIsReported) {
  auto model = empty_layers();
  model->first->weight.set_data(torch::ones({3, 2}));
  EXPECT_THAT(report_of(Rule::MetaMixed, [&] { (void)model->first->forward(input_); }),
              HasSubstr("'first.bias'"));
}

// LibTorch multiplies matrices with and without data, and says nothing.
TEST_F(FieldReports, AProductOfMatricesWithAndWithoutDataIsAnError) {
  const auto empty = empty_layers()->first->weight.detach();
  const auto real = torch::ones({2, 3});
  EXPECT_THAT(report_of(Rule::MetaMixed, [&] { (void)torch::mm(empty, real); }),
              HasSubstr("Expected all tensors to be on the same device"));
  report_of(Rule::MetaMixed, [&] { (void)torch::mm(real, empty); });
  report_of(Rule::MetaMixed, [&] { (void)torch::bmm(real.unsqueeze(0), empty.unsqueeze(0)); });
}

// A low-rank adapter with data is merged into a base weight without.
TEST_F(FieldReports, AnAdapterIsNotMergedIntoAWeightWithoutData) {
  const torch::NoGradGuard no_grad;
  auto model = empty_layers();
  const auto up = torch::ones({3, 1});
  const auto down = torch::ones({1, 2});
  EXPECT_THAT(report_of(Rule::MetaWriteLost, [&] { model->first->weight.add_(up.mm(down)); }),
              HasSubstr("'first.weight'"));
  EXPECT_THAT(report_of(Rule::MetaMixed, [&] { (void)(model->first->weight + up.mm(down)); }),
              HasSubstr("'first.weight'"));
}

// Products with garbage, and writes that do not happen.
TEST_F(FieldReports, NeitherGarbageComesOutNorIsAWriteSkipped) {
  const auto empty = empty_layers()->first->weight.detach();
  auto real = torch::ones({3, 2});
  report_of(Rule::MetaMixed, [&] { (void)torch::mv(empty, torch::ones({2})); });
  report_of(Rule::MetaMixed, [&] { (void)torch::matmul(empty, torch::ones({2})); });
  report_of(Rule::MetaMixed, [&] { real.fill_(empty[0][0]); });
  const auto rows = torch::zeros({3, 2}, torch::kLong);
  report_of(Rule::MetaMixed, [&] { real.scatter_(0, rows, empty); });
  EXPECT_TRUE(torch::equal(real, torch::ones({3, 2})));
}

// --- Loads that do nothing ---

// The loop over names that every hand-written loader has.
TEST_F(FieldReports, ALoaderThatCopiesIntoEmptyParametersIsToldSo) {
  const torch::NoGradGuard no_grad;
  auto model = empty_layers();
  auto values = trained_->named_parameters();
  EXPECT_THAT(report_of(Rule::MetaWriteLost,
                        [&] {
                          for (auto& item : model->named_parameters()) {
                            item.value().copy_(values[item.key()]);
                          }
                        }),
              AllOf(HasSubstr("'first.weight'"), HasSubstr("load_checkpoint_in_model")));
}

// The load that did nothing comes first, and a crash much later: the first one is reported.
TEST_F(FieldReports, TheFirstCauseIsReportedAndNotTheCrashThatFollows) {
  const torch::NoGradGuard no_grad;
  auto model = empty_layers();
  report_of(Rule::MetaWriteLost, [&] {
    model->first->weight.copy_(torch::ones({3, 2}));
    model->to(torch::kCPU);
  });
}

// LibTorch's own load cannot fill a module without data.
TEST_F(FieldReports, LibTorchsOwnLoadFillsAnEmptyModule) {
  std::stringstream file;
  torch::save(trained_, file);
  auto model = empty_layers();
  torch::load(model, file);
  EXPECT_TRUE(torch::equal(model->forward(input_), trained_->forward(input_)));
}

// A load that may miss names leaves tensors without data behind.
TEST_F(FieldReports, ALoadThatMayMissNamesIsAudited) {
  auto model = empty_layers();
  const auto path = checkpoint_of(*trained_, {"second.weight", "second.bias"});
  EXPECT_THAT(report_of(Rule::WeightsMissing,
                        [&] { load_checkpoint_in_model(model, path, {.strict = false}); }),
              AllOf(HasSubstr("second.weight"), HasSubstr("second.bias")));
  EXPECT_EQ(state_of(model), State::Declared);
}

// --- Memory that was never written ---

// Memory is there, and forward reads what lies in it.
TEST_F(FieldReports, AForwardOnMemoryThatWasNeverWrittenIsRefused) {
  auto model = empty_layers();
  to_empty(model, torch::kCPU);
  EXPECT_THAT(report_of(Rule::UninitializedRead, [&] { (void)model->forward(input_); }),
              HasSubstr("'first.bias'"));
}

struct RotaryImpl : torch::nn::Module {
  RotaryImpl() {
    inverse_frequencies =
        register_buffer("inverse_frequencies", torch::pow(10000.0, torch::arange(0, 8, 2) / -8.0));
    proj = register_module("proj", torch::nn::Linear(4, 4));
  }
  at::Tensor forward(const at::Tensor& x) { return proj(x * inverse_frequencies); }
  at::Tensor inverse_frequencies;
  torch::nn::Linear proj{nullptr};
};
TORCH_MODULE(Rotary);

// A buffer that is in no checkpoint is read after to_empty and a load of the rest.
TEST_F(FieldReports, ABufferThatNoFileHasIsNotReadUnwritten) {
  const Rotary trained;
  const auto path = checkpoint_of(*trained, {"inverse_frequencies"});
  auto model = init_empty_weights([] { return Rotary(); });
  to_empty(model, torch::kCPU);
  EXPECT_THROW(load_checkpoint_in_model(model, path), c10::Error);
  std::stringstream file;
  torch::save(trained->proj, file);
  torch::load(model->proj, file);
  EXPECT_THAT(
      report_of(Rule::UninitializedRead, [&] { (void)model->forward(torch::ones({1, 4})); }),
      HasSubstr("'inverse_frequencies'"));
}

// Finite garbage is the common case, and looks like numbers: memory can be filled with NaN.
TEST_F(FieldReports, MemoryThatWasNeverWrittenCanBeMadeVisible) {
  set_options(parse_options("poison=nan"));
  auto model = empty_layers();
  to_empty(model, torch::kCPU);
  set_options({});
  const auto* values = model->first->weight.mutable_data_ptr<float>();  // ends the tracking
  EXPECT_TRUE(std::isnan(values[0]));
}

// to_empty gives new memory to buffers that were good.
TEST_F(FieldReports, ToEmptyLeavesGoodBuffersAlone) {
  auto model = empty_layers();
  model->first->bias.set_data(torch::ones({3}));
  to_empty(model, torch::kCPU);
  EXPECT_TRUE(torch::equal(model->first->bias, torch::ones({3})));
  EXPECT_EQ(state_of(model->first->weight), State::Uninitialized);
}

struct NarrowImpl : torch::nn::Module {
  NarrowImpl() {
    proj = register_module("proj", torch::nn::Linear(64, 64));
    const torch::NoGradGuard no_grad;
    torch::nn::init::normal_(proj->weight, 0.0, 0.02);
  }
  torch::nn::Linear proj{nullptr};
};
TORCH_MODULE(Narrow);

// Each layer's own initializer gives another spread than the model's.
TEST_F(FieldReports, AModelsOwnInitializerDecidesWhenItIsFilled) {
  auto model = init_empty_weights([] { return Narrow(); });
  seed(0);
  materialize(model);
  seed(0);
  EXPECT_TRUE(torch::equal(model->proj->weight, Narrow()->proj->weight));
  EXPECT_NEAR(model->proj->weight.std().item<float>(), 0.02, 0.002);
}

// --- Buffers, adapters, optimizers ---

// A buffer that is in no checkpoint is still without data after the load.
TEST_F(FieldReports, ABufferThatNoFileHasGetsItsInitialValue) {
  const Rotary trained;
  const auto path = checkpoint_of(*trained, {"inverse_frequencies"});
  auto model = init_empty_weights([] { return Rotary(); });
  load_checkpoint_in_model(model, path, {.allow_missing = {"inverse_frequencies"}});
  EXPECT_TRUE(torch::equal(model->inverse_frequencies, trained->inverse_frequencies));
}

// An adapter was put where its base layer is: nowhere.
TEST_F(FieldReports, NothingIsMovedToWhereThereIsNoData) {
  auto model = empty_layers();
  auto adapter = torch::nn::Linear(2, 1);
  EXPECT_THROW(adapter->to(model->first->weight.device()), c10::Error);
  EXPECT_EQ(state_of(adapter), State::Materialized);
  auto empty_adapter = init_empty_weights([] { return torch::nn::Linear(3, 1); });
  EXPECT_THAT(
      report_of(Rule::MetaMixed, [&] { (void)empty_adapter->forward(trained_->first(input_)); }),
      HasSubstr("'bias' [1]"));
}

// The names in a file have a prefix that the model does not have.
TEST_F(FieldReports, NamesWithAnotherPrefixAreFoundBeforeTheFirstForward) {
  NamedTensors tensors;
  for (auto& [name, tensor] : guard::named_tensors(*trained_)) {
    tensors.emplace_back("base_model.model." + name, tensor);
  }
  const auto path = directory_.write("model.safetensors", safetensors_of(tensors));
  auto model = empty_layers();
  try {
    load_checkpoint_in_model(model, path);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const c10::Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("first.weight"), HasSubstr("base_model.model.")));
  }
  EXPECT_EQ(state_of(model), State::Declared);
}

// Parameters never change, as the optimizer holds the tensors from before the load.
TEST_F(FieldReports, AnOptimizerBuiltBeforeTheLoadTrains) {
  auto model = empty_layers();
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  load_checkpoint_in_model(model, checkpoint_of(*trained_));
  const auto before = model->second->bias.detach().clone();
  model->forward(input_).sum().backward();
  optimizer.step();
  EXPECT_TRUE(torch::allclose(model->second->bias, before - 0.4));
}

// --- Threads and kernels ---

// Two threads build at once, and one gets the other's tensors without data.
TEST_F(FieldReports, AScopeOfOneThreadIsNotSeenByAnother) {
  const InitEmptyWeights scope;
  std::thread([] {
    const TwoLayers model;
    EXPECT_EQ(state_of(model), State::Materialized);
    EXPECT_TRUE(model->first->weight.cpu().defined());
  }).join();
  EXPECT_EQ(state_of(TwoLayers()), State::Declared);
}

// A kernel is given the null pointer of weights that were never there.
TEST_F(FieldReports, AKernelIsNotGivenANullPointer) {
  const auto model = empty_layers();
  try {
    (void)model->first->weight.const_data_ptr<float>();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const c10::Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("meta-raw-access"), HasSubstr("'first.weight'")));
  }
}

// LibTorch speaks of an internal operator when a convolution has no data.
TEST_F(FieldReports, AConvolutionWithoutDataNamesItsWeight) {
  auto conv = init_empty_weights([] { return torch::nn::Conv2d(1, 2, 3); });
  EXPECT_THAT(report_of(Rule::MetaMixed, [&] { (void)conv->forward(torch::ones({1, 1, 4, 4})); }),
              HasSubstr("'weight' [2, 1, 3, 3]"));
  EXPECT_THAT(report_of(Rule::MetaDataDependent,
                        [&] { (void)conv->forward(torch::ones({1, 1, 4, 4}, torch::kMeta)); }),
              HasSubstr("'weight' [2, 1, 3, 3]"));
}

// Asking a tensor without data for its kind ended the program.
TEST_F(FieldReports, ATensorWithoutDataSaysWhatItIs) {
  const auto weight = empty_layers()->first->weight;
  EXPECT_THAT(weight.toString(), HasSubstr("Meta"));
  EXPECT_EQ(weight.device().str(), "meta");
  EXPECT_EQ(weight.dtype().name(), "float");
}

}  // namespace
}  // namespace metasan::testing
