// Many threads at once: reports do not mix, none is lost, each is about its own module.
#include "tests/runtime/report/samples.h"

#include <metasan/metasan.h>

#include <gmock/gmock.h>
#include <torch/torch.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <set>
#include <thread>

namespace {

using metasan::MetaTensorError;
using testing::HasSubstr;
using testing::SizeIs;

constexpr int kThreads = 16;
constexpr int kReports = 25;

template <typename Work>
void in_threads(const Work& work) {
  std::atomic<int> waiting = kThreads;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&work, &waiting, t] {
      --waiting;
      while (waiting > 0) {
      }
      work(t);
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
}

using Threads = ReportTest;

TEST_F(Threads, ReportsDoNotMixAndNoneIsLost) {
  use("action=report:exitcode=0:deduplicate=0:log_path='" + log_path() + "':json='" + json_file() +
      "'");
  in_threads([](int t) {
    for (int i = 0; i < kReports; ++i) {
      report(sample_violation("t" + std::to_string(t) + ".r" + std::to_string(i)));
    }
  });

  std::set<std::string> in_json;
  for (const auto& line : lines_of(json_file())) {
    in_json.insert(nlohmann::json::parse(line)["tensor"].get<std::string>());
  }
  EXPECT_THAT(in_json, SizeIs(kThreads * kReports));

  // Every report is one block: its header, its tensor, and the summary of the same tensor.
  std::set<std::string> in_log;
  std::string tensor;
  for (const auto& line : lines_of(log_file())) {
    if (line.starts_with("==")) {
      EXPECT_EQ(tensor, "");
      tensor = "?";
    } else if (line.starts_with("  tensor    '")) {
      EXPECT_EQ(tensor, "?");
      tensor = line.substr(13, line.find('\'', 13) - 13);
    } else if (line.starts_with("SUMMARY: MetaSan: meta-mixed ")) {
      EXPECT_THAT(line, HasSubstr(" " + tensor + " "));
      in_log.insert(tensor);
      tensor = "";
    }
  }
  EXPECT_EQ(in_log, in_json);
}

TEST_F(Threads, EachErrorIsAboutTheModuleOfItsThread) {
  std::atomic<int> right = 0;
  in_threads([&right](int t) {
    for (int i = 0; i < 4; ++i) {
      const auto name = "part" + std::to_string(t);
      const auto model = metasan::init_empty_weights([&name, t] {
        auto made = std::make_shared<torch::nn::Module>();
        made->register_module(name, torch::nn::Linear(t + 1, 4));
        return made;
      });
      try {
        model->to(torch::kCPU);
      } catch (const MetaTensorError& error) {
        right += error.tensor() == name + ".weight" ? 1 : 0;
      }
    }
  });
  EXPECT_EQ(right, kThreads * 4);
}

TEST_F(Threads, AnErrorInAThreadPoolReachesTheCaller) {
  const auto weight = [] {
    metasan::InitEmptyWeights scope;
    return torch::empty({4, 4});
  }();
  try {
    at::parallel_for(0, 64, 1, [&](int64_t, int64_t) { weight.cpu(); });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const MetaTensorError& error) {
    EXPECT_THAT(error.what(), HasSubstr("meta-copy-out"));
  }
}

TEST_F(Threads, OptionsMayChangeWhileOthersReport) {
  in_threads([](int t) {
    for (int i = 0; i < kReports; ++i) {
      if (t == 0) {
        use(i % 2 == 0 ? "stack_depth=3" : "stack_depth=30");
      } else {
        EXPECT_THROW(report(sample_violation("w")), MetaTensorError);
      }
    }
  });
}

}  // namespace
