// Tied tensors are loaded once, from whichever name the checkpoint has, and stay tied.
#include <metasan/empty_init.h>

#include "tests/runtime/checkpoint/expect_error.h"
#include "tests/runtime/load/support.h"

namespace metasan::testing {
namespace {

enum class Tie { SameObject, SameStorage };

/// An embedding and a head with one weight, tied as one object, or as two objects on one storage.
struct LanguageModel : torch::nn::Module {
  explicit LanguageModel(Tie tie) {
    embedding = register_parameter("embedding", torch::randn({5, 3}));
    head = tie == Tie::SameObject ? embedding : embedding.detach();
    if (tie == Tie::SameObject) {
      register_parameter("head", head);
    } else {
      register_buffer("head", head);
    }
  }
  at::Tensor embedding;
  at::Tensor head;
};

class Ties : public ::testing::TestWithParam<std::tuple<Tie, /*empty=*/bool>> {
 protected:
  std::shared_ptr<LanguageModel> make() const {
    const auto [tie, is_empty] = GetParam();
    const auto build = [tie = tie] { return std::make_shared<LanguageModel>(tie); };
    return is_empty ? init_empty_weights(build) : build();
  }
  LoadReport load(LanguageModel& model, const NamedTensors& tensors) {
    return load_checkpoint_in_model(model,
                                    directory_.write("model.safetensors", safetensors_of(tensors)));
  }
  void expect_loaded(LanguageModel& model) {
    EXPECT_TRUE(torch::equal(model.embedding, values_));
    EXPECT_TRUE(torch::equal(model.head, values_));
    EXPECT_EQ(model.embedding.data_ptr(), model.head.data_ptr());
  }

  TempDirectory directory_;
  at::Tensor values_ = torch::randn({5, 3});
};

TEST_P(Ties, TheFirstNameIsEnough) {
  const auto model = make();
  const LoadReport report = load(*model, {{"embedding", values_}});
  expect_loaded(*model);
  EXPECT_THAT(report.loaded, ::testing::ElementsAre("embedding", "head"));
  EXPECT_THAT(report.missing, ::testing::IsEmpty());
  EXPECT_EQ(report.bytes, 60U);
}

TEST_P(Ties, TheOtherNameIsEnough) {
  const auto model = make();
  load(*model, {{"head", values_}});
  expect_loaded(*model);
}

TEST_P(Ties, BothNamesWithTheSameValuesAreLoadedOnce) {
  const auto model = make();
  EXPECT_EQ(load(*model, {{"embedding", values_}, {"head", values_}}).bytes, 60U);
  expect_loaded(*model);
}

TEST_P(Ties, DifferentValuesAreAnErrorThatNamesBoth) {
  const auto model = make();
  const Snapshot before(*model);
  expect_checkpoint_error([&] { load(*model, {{"embedding", values_}, {"head", values_ + 1}}); },
                          CheckpointErrorCode::TieConflict, {"'embedding'", "'head'"});
  EXPECT_TRUE(before.matches(*model));
}

TEST_P(Ties, AWriteThroughOneNameIsSeenThroughTheOther) {
  const auto model = make();
  load(*model, {{"embedding", values_}});
  const torch::NoGradGuard no_grad;
  model->head.zero_();
  EXPECT_EQ(model->embedding.abs().sum().item<float>(), 0.F);
}

INSTANTIATE_TEST_SUITE_P(, Ties,
                         ::testing::Combine(::testing::Values(Tie::SameObject, Tie::SameStorage),
                                            ::testing::Bool()),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param) == Tie::SameObject
                                                  ? "SameObject"
                                                  : "SameStorage") +
                                  (std::get<1>(info.param) ? "Empty" : "Ordinary");
                         });

TEST(PartialViews, APartOfALargerTensorIsFilledWithIt) {
  struct Parts : torch::nn::Module {
    Parts() {
      whole = register_buffer("whole", torch::zeros({4, 2}));
      part = register_buffer("part", whole.narrow(0, 1, 2));
    }
    at::Tensor whole;
    at::Tensor part;
  };
  const TempDirectory directory;
  const auto values = torch::randn({4, 2});
  const auto path = directory.write("model.safetensors", safetensors_of({{"whole", values}}));
  for (const bool is_empty : {false, true}) {
    const auto build = [] { return std::make_shared<Parts>(); };
    const auto model = is_empty ? init_empty_weights(build) : build();
    load_checkpoint_in_model(model, path);
    EXPECT_TRUE(torch::equal(model->part, values.narrow(0, 1, 2)));
    EXPECT_TRUE(model->part.is_alias_of(model->whole));
  }
}

TEST(PartialViews, AWholeIsMissingWhenOnlyItsPartIsThere) {
  struct Parts : torch::nn::Module {
    Parts() {
      const auto whole = register_buffer("whole", torch::zeros({4, 2}));
      register_buffer("part", whole.narrow(0, 1, 2));
    }
  };
  const TempDirectory directory;
  const auto path =
      directory.write("model.safetensors", safetensors_of({{"part", torch::randn({2, 2})}}));
  const auto model = std::make_shared<Parts>();
  expect_checkpoint_error([&] { load_checkpoint_in_model(model, path); },
                          CheckpointErrorCode::Mismatch, {"'whole'"});
}

}  // namespace
}  // namespace metasan::testing
