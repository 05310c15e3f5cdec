// Many threads: a scope is one thread's, loaded modules are shared, and reports keep to their own
// module.
#include "tests/runtime/modules/support.h"
#include "tests/support/temp_directory.h"

#include <ATen/Parallel.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <barrier>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

namespace metasan::testing {
namespace {

constexpr int kThreads = 16;

/// Runs `work(index)` in threads that start together.
template <typename Work>
void in_threads(const Work& work) {
  std::barrier start(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      work(t);
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
}

TEST(Threads, TheScopeIsNotInherited) {
  const InitEmptyWeights scope;
  State in_thread{};
  std::thread([&] { in_thread = state_of(torch::ones({2})); }).join();
  EXPECT_EQ(in_thread, State::Materialized);

  std::atomic<int> wrong = 0;
  const auto owner = std::this_thread::get_id();
  at::parallel_for(0, 64, 1, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) {
      const bool here = std::this_thread::get_id() == owner;
      const bool declared = state_of(torch::ones({2})) == State::Declared;
      wrong += here == declared ? 0 : 1;
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(state_of(torch::ones({2})), State::Declared);
}

TEST(Threads, ALoadedModuleIsSharedByAll) {
  auto net = materialized_net(41);
  net->eval();
  auto offloaded = materialized_net(41);
  offloaded->eval();
  cpu_offload(offloaded, torch::kCPU);
  const auto expected = net->forward(torch::ones({5, 3})).detach();
  std::atomic<int> wrong = 0;
  std::atomic<std::uint64_t> hits = 0;
  in_threads([&](int) {
    const torch::NoGradGuard no_grad;
    for (int i = 0; i < 20; ++i) {
      hits += guarded_calls(
          [&] { wrong += torch::equal(net->forward(torch::ones({5, 3})), expected) ? 0 : 1; });
      wrong += torch::equal(offloaded->forward(torch::ones({5, 3})), expected) ? 0 : 1;
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(hits, 0u);
}

TEST(Threads, MisuseOfOneEmptyModuleByAllIsReportedToEach) {
  auto net = empty_net();
  std::atomic<int> reported = 0;
  in_threads([&](int) {
    for (int i = 0; i < 10; ++i) {
      try {
        (void)net->forward(torch::ones({5, 3}));
      } catch (const MetaTensorError& error) {
        reported += error.rule() == Rule::MetaMixed && error.tensor() == "first.bias" ? 1 : 0;
      }
    }
  });
  EXPECT_EQ(reported, kThreads * 10);
  EXPECT_EQ(state_of(net), State::Declared);
}

/// The size of a module tells which thread made it.
torch::nn::LinearOptions linear_of(int thread) {
  return torch::nn::LinearOptions(3, 100 + thread).bias(false);
}

torch::nn::Linear empty_linear(int thread) {
  return init_empty_weights([&] { return torch::nn::Linear(linear_of(thread)); });
}

std::string saved_linear(int thread) {
  std::ostringstream file;
  torch::save(torch::nn::Linear(linear_of(thread)), file);
  return std::move(file).str();
}

/// Misuses a module in five ways, then loads and uses it; how often each rule was reported.
std::map<Rule, int> life_of_a_module(int thread) {
  std::map<Rule, int> reports;
  const auto misuse = [&](auto&& call) {
    try {
      call();
    } catch (const MetaTensorError& error) {
      ++reports[error.rule()];
    }
  };
  auto linear = empty_linear(thread);
  misuse([&] { linear->to(torch::kCPU); });
  misuse([&] { (void)(linear->weight + torch::ones({1, 3})); });
  misuse([&] { (void)linear->weight.nonzero(); });
  std::ostringstream unused;
  misuse([&] { torch::save(linear, unused); });
  to_empty(linear, torch::kCPU);
  misuse([&] { (void)linear->weight.sum(); });
  std::istringstream file(saved_linear(thread));
  torch::load(linear, file);
  linear->forward(torch::ones({1, 3})).sum().backward();
  return reports;
}

class ThreadsAndLogs : public ::testing::Test {
 protected:
  void SetUp() override {
    set_options(
        parse_options("deduplicate=0:log_path='" + path("log") + "':json='" + path("json") + "'"));
  }
  void TearDown() override { set_options({}); }

  std::string path(const std::string& name) const { return (directory_.path() / name).string(); }

  TempDirectory directory_;
};

TEST_F(ThreadsAndLogs, EveryReportIsAboutItsOwnModuleAndNoneIsLost) {
  constexpr int kRounds = 5;
  const std::map<Rule, int> expected{{Rule::MetaCopyOut, 1},
                                     {Rule::MetaMixed, 1},
                                     {Rule::MetaDataDependent, 1},
                                     {Rule::MetaSaved, 1},
                                     {Rule::UninitializedRead, 1}};
  std::atomic<int> wrong = 0;
  in_threads([&](int thread) {
    for (int round = 0; round < kRounds; ++round) {
      wrong += life_of_a_module(thread) == expected ? 0 : 1;
    }
  });
  EXPECT_EQ(wrong, 0);

  // In JSON each report is a line of its own, about the thread's weight.
  std::map<std::string, int> by_size;
  std::ifstream json(path("json"));
  for (std::string line; std::getline(json, line);) {
    const auto report = nlohmann::json::parse(line);
    EXPECT_EQ(report["tensor"], "weight");
    ++by_size[report["shape"].dump()];
  }
  EXPECT_EQ(by_size.size(), static_cast<std::size_t>(kThreads));
  for (const auto& [size, count] : by_size) {
    EXPECT_EQ(count, kRounds * 5) << size;
  }

  // In the log each report is a block: a header, one line about its tensor, a summary.
  int reports = 0;
  int tensor_lines = 0;
  bool open = false;
  std::ifstream log(path("log") + "." + std::to_string(getpid()));
  for (std::string line; std::getline(log, line);) {
    if (line.find("==ERROR: MetaSan: ") != line.npos) {
      EXPECT_FALSE(open) << line;
      EXPECT_TRUE(line.starts_with("==")) << line;
      open = true;
      ++reports;
    } else if (line.starts_with("SUMMARY: MetaSan: ")) {
      EXPECT_TRUE(open) << line;
      open = false;
    } else if (line.find("'weight' [1") != line.npos) {
      EXPECT_TRUE(open) << line;
      ++tensor_lines;
    }
  }
  EXPECT_FALSE(open);
  EXPECT_EQ(reports, kThreads * kRounds * 5);
  EXPECT_EQ(tensor_lines, reports);
}

}  // namespace
}  // namespace metasan::testing
