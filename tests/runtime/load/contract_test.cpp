// A checkpoint that does not fit: everything that is wrong in one error, and a module that is not
// touched.
#include <metasan/empty_init.h>
#include <metasan/errors.h>

#include "tests/runtime/checkpoint/expect_error.h"
#include "tests/runtime/load/support.h"

namespace metasan::testing {
namespace {

using Code = CheckpointErrorCode;

class Contract : public ::testing::Test {
 protected:
  Contract() { torch::manual_seed(0); }

  /// The tensors of TwoLayers; change them, then load.
  NamedTensors tensors_ = guard::named_tensors(*TwoLayers());

  at::Tensor& at(const std::string& name) {
    return std::ranges::find(tensors_, name, &NamedTensors::value_type::first)->second;
  }
  void erase(const std::string& name) {
    std::erase_if(tensors_, [&](const auto& item) { return item.first == name; });
  }
  void prefix_all(const std::string& prefix) {
    for (auto& [name, tensor] : tensors_) {
      name = prefix + name;
    }
  }
  std::filesystem::path write() {
    return directory_.write("model.safetensors", safetensors_of(tensors_));
  }

  static TwoLayers empty() {
    return init_empty_weights([] { return TwoLayers(); });
  }

  /// Both an empty and an ordinary module must be refused, and stay as they are.
  void expect_refused(Code code, std::initializer_list<std::string> texts,
                      const LoadOptions& options = {}) {
    const auto path = write();
    for (TwoLayers model : {empty(), TwoLayers()}) {
      const Snapshot before(*model);
      expect_checkpoint_error([&] { load_checkpoint_in_model(model, path, options); }, code, texts);
      EXPECT_TRUE(before.matches(*model));
    }
  }
  MetaTensorError expect_weights_missing(const LoadOptions& options = {}) {
    TwoLayers model = empty();
    const Snapshot before(*model);
    try {
      load_checkpoint_in_model(model, write(), options);
    } catch (const MetaTensorError& error) {
      EXPECT_TRUE(before.matches(*model));
      EXPECT_EQ(error.rule(), Rule::WeightsMissing) << error.what();
      EXPECT_EQ(error.op(), "metasan::load_checkpoint_in_model");
      return error;
    }
    throw std::runtime_error("no weights-missing error");
  }

  TempDirectory directory_;
};

TEST_F(Contract, AllProblemsAreInOneError) {
  at("first.weight") = torch::randn({2, 3});
  at("first.bias") = torch::arange(3);
  erase("second.bias");
  tensors_.emplace_back("second.bais", torch::randn({2}));
  expect_refused(
      Code::Mismatch,
      {"1 missing, 1 unexpected, 2 different", "'second.bias' [2] float32; nearest: 'second.bais'",
       "'second.bais'; nearest: 'second.bias'",
       "'first.weight' is [3, 2] in the module, [2, 3] in the checkpoint",
       "'first.bias' is float32 in the module, int64 in the checkpoint"});
}

TEST_F(Contract, ShapeAndDtypeOfOneTensorAreBothNamed) {
  at("first.weight") = torch::arange(3);
  expect_refused(
      Code::Mismatch,
      {"'first.weight' is [3, 2] in the module, [3] in the checkpoint; is float32 in the module, "
       "int64 in the checkpoint"});
}

TEST_F(Contract, MissingWeightsOfAnEmptyModule) {
  erase("second.weight");
  erase("second.bias");
  const MetaTensorError error = expect_weights_missing();
  EXPECT_EQ(error.tensor(), "second.weight");
  EXPECT_THAT(std::string(error.what()), ::testing::HasSubstr("missing in the checkpoint (2)"));
}

TEST_F(Contract, MissingWeightsOfAnEmptyModuleAreAnErrorThoughNotStrict) {
  erase("second.bias");
  tensors_.emplace_back("second.bais", torch::randn({2}));
  const MetaTensorError error = expect_weights_missing({.strict = false});
  EXPECT_EQ(error.tensor(), "second.bias");
  EXPECT_THAT(std::string(error.what()), ::testing::HasSubstr("nearest: 'second.bais'"));
}

TEST_F(Contract, MissingWeightsOfAnOrdinaryModuleAreAMismatch) {
  erase("second.bias");
  TwoLayers model;
  expect_checkpoint_error([&] { load_checkpoint_in_model(model, write()); }, Code::Mismatch,
                          {"'second.bias'"});
}

TEST_F(Contract, WhenNotStrictAnOrdinaryModuleKeepsWhatIsMissing) {
  erase("second.bias");
  TwoLayers model;
  const auto before = model->second->bias.clone();
  const LoadReport report = load_checkpoint_in_model(model, write(), {.strict = false});
  EXPECT_THAT(report.missing, ::testing::ElementsAre("second.bias"));
  EXPECT_TRUE(torch::equal(model->second->bias, before));
  EXPECT_TRUE(torch::equal(model->second->weight, at("second.weight")));
}

TEST_F(Contract, AllowedMissingWeightsWithoutAHistoryStayDeclared) {
  erase("second.bias");
  erase("second.weight");
  TwoLayers model = empty();
  model->second->weight.set_data(torch::empty({2, 3}, torch::kMeta));
  model->second->bias.set_data(torch::empty({2}, torch::kMeta));
  const LoadReport report =
      load_checkpoint_in_model(model, write(), {.allow_missing = {"second.*"}});
  EXPECT_THAT(report.missing, ::testing::ElementsAre("second.bias", "second.weight"));
  EXPECT_THAT(report.initialized, ::testing::IsEmpty());
  EXPECT_EQ(state_of(model->second->weight), State::Declared);
  EXPECT_EQ(state_of(model->first->weight), State::Materialized);
}

TEST_F(Contract, UnexpectedTensorsAreAnErrorUnlessAllowed) {
  tensors_.emplace_back("rotary.inv_freq", torch::randn({4}));
  expect_refused(Code::Mismatch, {"0 missing, 1 unexpected, 0 different", "'rotary.inv_freq'"});
  for (const LoadOptions& options :
       {LoadOptions{.strict = false}, LoadOptions{.allow_unexpected = {"*.inv_freq"}}}) {
    TwoLayers model = empty();
    EXPECT_THAT(load_checkpoint_in_model(model, write(), options).unexpected,
                ::testing::ElementsAre("rotary.inv_freq"));
  }
}

TEST_F(Contract, OneExtraPrefixInTheCheckpointIsSaidOnce) {
  prefix_all("bert.");
  expect_refused(
      Code::Mismatch,
      {"hint: 4 of the 4 missing names match when 'bert.' is taken away from the names of the "
       "checkpoint",
       "nearest: 'bert.first.weight'"});
}

TEST_F(Contract, OneExtraPrefixInTheModule) {
  struct Wrapped : torch::nn::Module {
    Wrapped() { register_module("model", TwoLayers()); }
  };
  const auto model = init_empty_weights([] { return std::make_shared<Wrapped>(); });
  expect_checkpoint_error([&] { load_checkpoint_in_model(model, write()); }, Code::Mismatch,
                          {"'model.' is taken away from the names of the module: load the "
                           "checkpoint into its child 'model'"});
}

TEST_F(Contract, LongListsAreCutWithACount) {
  for (int i = 0; i < 100; ++i) {
    tensors_.emplace_back("extra." + std::to_string(i), torch::zeros({1}));
  }
  expect_refused(Code::Mismatch, {"unexpected: not in the module (100)", "and 90 more"});
}

TEST_F(Contract, DtypesThatLibTorchLacks) {
  SafetensorsWriter writer;
  writer.add("weight", "F6_E2M3", {4}, "123");
  const auto path = directory_.write("f6.safetensors", writer.bytes());
  struct OneWeight : torch::nn::Module {
    OneWeight() { register_parameter("weight", torch::zeros({4})); }
  };
  const auto model = std::make_shared<OneWeight>();
  expect_checkpoint_error([&] { load_checkpoint_in_model(model, path); }, Code::UnsupportedDtype,
                          {"'weight'", "F6_E2M3"});
}

TEST_F(Contract, LayoutsWhoseElementsShareMemory) {
  struct Expanded : torch::nn::Module {
    Expanded() { register_buffer("mask", torch::zeros({1}).expand({4})); }
  };
  tensors_ = {{"mask", torch::ones({4})}};
  const auto model = init_empty_weights([] { return std::make_shared<Expanded>(); });
  expect_checkpoint_error([&] { load_checkpoint_in_model(model, write()); }, Code::Mismatch,
                          {"'mask'", "share memory"});
}

TEST_F(Contract, ContradictingOptions) {
  TwoLayers model = empty();
  EXPECT_THROW(
      load_checkpoint_in_model(model, write(), {.dtype = torch::kHalf, .checkpoint_dtype = true}),
      c10::Error);
  EXPECT_THROW(load_checkpoint_in_model(model, write(), {.dtype = torch::kLong}), c10::Error);
}

TEST_F(Contract, BrokenFilesLeaveTheModuleAlone) {
  const std::string whole = safetensors_of(tensors_);
  const std::vector<std::pair<std::string, Code>> files = {
      {whole.substr(0, whole.size() - 1), Code::MetadataIncompleteBuffer},
      {whole + "x", Code::MetadataIncompleteBuffer},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n", Code::LfsPointer},
      {"", Code::HeaderTooSmall},
  };
  for (const auto& [bytes, code] : files) {
    TwoLayers model = empty();
    const Snapshot before(*model);
    const auto path = directory_.write("broken.safetensors", bytes);
    expect_checkpoint_error([&] { load_checkpoint_in_model(model, path); }, code);
    EXPECT_TRUE(before.matches(*model));
  }
}

TEST_F(Contract, AWrongPathLeavesTheModuleAlone) {
  TwoLayers model = empty();
  const Snapshot before(*model);
  write();
  expect_checkpoint_error(
      [&] { load_checkpoint_in_model(model, directory_.path() / "model.safetensor"); },
      Code::FileNotFound, {"model.safetensors'?"});
  EXPECT_TRUE(before.matches(*model));
}

TEST_F(Contract, ALoadAfterAFailedOneWorks) {
  TwoLayers model = empty();
  const at::Tensor bias = at("second.bias");
  erase("second.bias");
  EXPECT_THROW(load_checkpoint_in_model(model, write()), MetaTensorError);
  tensors_.emplace_back("second.bias", bias);
  load_checkpoint_in_model(model, write());
  EXPECT_TRUE(torch::equal(model->second->bias, bias));
}

}  // namespace
}  // namespace metasan::testing
