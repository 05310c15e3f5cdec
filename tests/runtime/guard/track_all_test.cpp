// Options that are read when the library is loaded: each test body runs in a process of its own.
#include <metasan/metasan.h>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstdlib>
#include <thread>

namespace {

using metasan::MetaTensorError;
using metasan::Rule;

class AtLoad : public testing::Test {
 protected:
  AtLoad() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  ~AtLoad() override { unsetenv("METASAN_OPTIONS"); }

  static void set_environment(const char* options) { setenv("METASAN_OPTIONS", options, 1); }

  /// True when `call` is refused with `rule`.
  template <typename Call>
  static bool is_refused(Rule rule, Call&& call) {
    try {
      call();
    } catch (const MetaTensorError& error) {
      return error.rule() == rule;
    }
    return false;
  }
};

TEST_F(AtLoad, TrackAllSeesMetaTensorsOfOthersInEveryThread) {
  set_environment("track_all=1");
  EXPECT_EXIT(
      {
        const auto mixes = [] {
          const auto real = torch::ones({4, 4});
          const auto meta = torch::empty({4, 4}, torch::kMeta);
          return is_refused(Rule::MetaMixed, [&] { torch::mm(meta, real); });
        };
        bool in_thread = false;
        std::thread([&] { in_thread = mixes(); }).join();
        const bool in_main = mixes();
        bool after_scope = false;
        {
          metasan::InitEmptyWeights scope;
          torch::empty({2});
        }
        after_scope = mixes();
        std::exit(in_main && in_thread && after_scope ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(AtLoad, TrackEmptyTracksWhatEmptyReturns) {
  set_environment("track_empty=1");
  EXPECT_EXIT(
      {
        const auto memory = torch::empty({4});
        const bool refused = is_refused(Rule::UninitializedRead, [&] { memory.sum(); });
        const auto like = torch::empty_like(torch::ones({2}));
        const bool like_refused = is_refused(Rule::UninitializedRead, [&] { like.add(1); });
        memory.fill_(2);
        std::exit(refused && like_refused && memory.sum().item<float>() == 8 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(AtLoad, OrdinaryTrainingRunsWithEverythingTracked) {
  set_environment("track_all=1:track_empty=1");
  EXPECT_EXIT(
      {
        torch::nn::Sequential model(torch::nn::Conv1d(torch::nn::Conv1dOptions(2, 4, 3)),
                                    torch::nn::BatchNorm1d(4), torch::nn::ReLU(),
                                    torch::nn::Flatten(), torch::nn::Linear(24, 3));
        torch::nn::LSTM recurrent(torch::nn::LSTMOptions(3, 5));
        torch::optim::Adam optimizer(model->parameters());
        for (int i = 0; i < 2; ++i) {
          optimizer.zero_grad();
          const auto logits = model->forward(torch::randn({4, 2, 8}));
          auto loss = torch::nn::functional::cross_entropy(logits, torch::tensor({0, 1, 2, 0}));
          loss = loss + std::get<0>(recurrent->forward(torch::randn({3, 1, 3}))).sum();
          loss.backward();
          optimizer.step();
        }
        std::stringstream file;
        torch::save(model, file);
        torch::load(model, file);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
