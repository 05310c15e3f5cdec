// What the guard costs: building empty, and running a model that was built empty and then loaded.
#include "tests/benchmark/samples.h"

#include "runtime/guard/hits.h"

#include <metasan/metasan.h>

#include "model.h"

#include <fmt/format.h>
#include <torch/torch.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <vector>

namespace {

using metasan::benchmark::Samples;

/// 32 blocks of Linear 4096 -> 16384 -> 4096, 4.3 billion parameters.
torch::nn::Sequential build_large() {
  torch::nn::Sequential model;
  for (int block = 0; block < 32; ++block) {
    model->push_back(torch::nn::Linear(4096, 16384));
    model->push_back(torch::nn::Linear(16384, 4096));
  }
  return model;
}

double peak_rss_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

struct EmptyInit {
  Samples build;
  double rss_growth_mib = 0;
  double parameters = 0;
};

EmptyInit measure_empty_init() {
  metasan::init_empty_weights(
      [] { return torch::nn::Linear(2, 2); });  // loads what LibTorch loads once
  EmptyInit result;
  const auto before = peak_rss_mib();
  for (int round = 0; round < 9; ++round) {
    torch::nn::Sequential model{nullptr};
    result.build.measure([&] {
      metasan::InitEmptyWeights scope;
      model = build_large();
    });
    result.parameters = 0;
    for (const auto& parameter : model->parameters()) {
      result.parameters += static_cast<double>(parameter.numel());
    }
  }
  result.rss_growth_mib = peak_rss_mib() - before;
  return result;
}

struct Materialized {
  Samples ordinary;
  Samples materialized;
  std::uint64_t hits = 0;
};

/// The same model twice: built the ordinary way with the checkpoint's values, and built empty and
/// then loaded.
Materialized measure_forward(const std::filesystem::path& model_dir) {
  const auto config = minilm::read_config(model_dir / "config.json");
  const auto checkpoint = model_dir / "model.safetensors";
  auto loaded = metasan::init_empty_weights([&] { return minilm::Model(config); });
  metasan::load_checkpoint_in_model(loaded, checkpoint);
  minilm::Model ordinary(config);
  {
    torch::NoGradGuard no_grad;
    auto values = loaded->named_parameters();
    for (auto& parameter : ordinary->named_parameters()) {
      parameter.value().copy_(values[parameter.key()]);
    }
  }
  ordinary->eval();
  loaded->eval();

  at::set_num_threads(1);
  torch::NoGradGuard no_grad;
  const auto ids = torch::randint(1000, 30000, {4, 32}, torch::kLong);
  const auto run = [&](minilm::Model& model) {
    for (int i = 0; i < 4; ++i) {
      model->forward(ids);
    }
  };
  run(ordinary);
  run(loaded);
  TORCH_CHECK(torch::equal(ordinary->forward(ids), loaded->forward(ids)), "the two models differ");

  Materialized result;
  const auto hits_before = metasan::guard::fallback_hits();
  for (int round = 0; round < 21; ++round) {
    result.ordinary.measure([&] { run(ordinary); });
    result.materialized.measure([&] { run(loaded); });
  }
  result.hits = metasan::guard::fallback_hits() - hits_before;
  return result;
}

/// What the guard adds to one operator, in microseconds.
struct Overhead {
  std::string_view what;
  Samples plain;
  Samples guarded;

  double us() const { return (guarded.median() - plain.median()) * 1e3 / kCalls; }

  static constexpr int kCalls = 20'000;
};

template <typename Plain, typename Guarded>
Overhead measure_overhead(std::string_view what, Plain&& plain, Guarded&& guarded) {
  Overhead result;
  result.what = what;
  const auto many = [](auto&& call) {
    for (int i = 0; i < Overhead::kCalls; ++i) {
      call();
    }
  };
  many(plain);
  many(guarded);
  for (int round = 0; round < 11; ++round) {
    result.plain.measure([&] { many(plain); });
    result.guarded.measure([&] { many(guarded); });
  }
  return result;
}

/// Operators on 16 x 16 tensors: declared ones beside plain meta tensors, and offloaded ones, whose
/// values are fetched, beside ordinary ones.
std::vector<Overhead> measure_overheads() {
  at::set_num_threads(1);
  torch::NoGradGuard no_grad;
  const auto meta = torch::empty({16, 16}, torch::kMeta);
  torch::Tensor declared;
  {
    metasan::InitEmptyWeights scope;
    declared = torch::empty({16, 16});
  }
  torch::nn::Linear ordinary(16, 16);
  torch::nn::Linear offloaded(16, 16);
  metasan::cpu_offload(offloaded, torch::kCPU);
  const auto input = torch::randn({1, 16});
  const auto& values = ordinary->weight;
  const auto& guard = offloaded->weight;
  return {measure_overhead(
              "declared, in place: mul_", [&] { meta.mul_(2); }, [&] { declared.mul_(2); }),
          measure_overhead(
              "declared, a view: t", [&] { meta.t(); }, [&] { declared.t(); }),
          measure_overhead(
              "offloaded: linear", [&] { torch::linear(input, values); },
              [&] { torch::linear(input, guard); }),
          measure_overhead(
              "offloaded: mm", [&] { input.mm(values); }, [&] { input.mm(guard); }),
          measure_overhead("offloaded, a view: t", [&] { values.t(); }, [&] { guard.t(); })};
}

struct Declarations {
  Samples declare;
  double record_bytes = 0;
};

/// 10,000 declarations, each with its stack; and what each keeps in memory beyond a meta tensor.
Declarations measure_declarations() {
  constexpr int kTensors = 10'000;
  const auto make = [](std::vector<torch::Tensor>& tensors, const torch::TensorOptions& options) {
    for (int i = 0; i < kTensors; ++i) {
      tensors.push_back(torch::empty({16, 16}, options));
    }
  };
  const auto memory_of = [&](auto&& fill) {
    std::vector<torch::Tensor> tensors;
    tensors.reserve(kTensors);
    const auto before = mallinfo2().uordblks;
    fill(tensors);
    return static_cast<double>(mallinfo2().uordblks - before) / kTensors;
  };
  Declarations result;
  for (int round = 0; round < 9; ++round) {
    std::vector<torch::Tensor> tensors;
    tensors.reserve(kTensors);
    metasan::InitEmptyWeights scope;
    result.declare.measure([&] { make(tensors, {}); });
  }
  const auto meta = memory_of([&](auto& tensors) { make(tensors, torch::kMeta); });
  const auto declared = memory_of([&](auto& tensors) {
    metasan::InitEmptyWeights scope;
    make(tensors, {});
  });
  result.record_bytes = declared - meta;
  return result;
}

struct Idle {
  Samples without;
  Samples with;
};

/// Microseconds per step, as the program prints them.
double run_program(const std::filesystem::path& program) {
  const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(program.c_str(), "r"), &pclose);
  TORCH_CHECK(output != nullptr, "cannot run ", program.string());
  double microseconds = 0;
  TORCH_CHECK(std::fscanf(output.get(), "%lf", &microseconds) == 1, program.string(),
              " printed no number");
  return microseconds;
}

/// An ordinary program, in turns without and with MetaSan linked.
Idle measure_idle(const std::filesystem::path& programs) {
  Idle result;
  for (int round = 0; round < 9; ++round) {
    result.without.add(run_program(programs / "metasan_idle_without") / 1e3);
    result.with.add(run_program(programs / "metasan_idle_with") / 1e3);
  }
  return result;
}

void print_row(std::string_view what, const Samples& samples) {
  fmt::print("{:<44}{:>10.2f}{:>10.2f}{:>10.2f}\n", what, samples.min(), samples.median(),
             samples.max());
}

}  // namespace

int main(int argc, char** argv) {
  std::filesystem::path json_file;
  std::filesystem::path model_dir;
  CLI::App app("What the guard costs");
  app.add_option("--json", json_file, "where the figures go")->required();
  app.add_option("--model-dir", model_dir, "MiniLM-L6: model.safetensors and config.json")
      ->required();
  CLI11_PARSE(app, argc, argv);

  const auto empty = measure_empty_init();
  const auto declarations = measure_declarations();
  const auto forward = measure_forward(model_dir);
  const auto overheads = measure_overheads();
  const auto idle = measure_idle(std::filesystem::canonical("/proc/self/exe").parent_path());
  // Noise moves the medians of so short a program by percents; the fastest runs are what it takes.
  const auto idle_ratio = idle.with.min() / idle.without.min();
  const auto most_overhead =
      std::max_element(overheads.begin(), overheads.end(),
                       [](const Overhead& a, const Overhead& b) { return a.us() < b.us(); });
  const auto ratio = forward.materialized.median() / forward.ordinary.median();

  fmt::print("{:<44}{:>10}{:>10}{:>10}\n", "milliseconds", "min", "median", "max");
  print_row(fmt::format("build {:.1f} billion parameters empty", empty.parameters / 1e9),
            empty.build);
  print_row("declare 10,000 tensors, with stacks", declarations.declare);
  print_row("4 x MiniLM forward [4, 32], ordinary", forward.ordinary);
  print_row("4 x MiniLM forward [4, 32], loaded", forward.materialized);
  print_row("a training step, MetaSan not linked", idle.without);
  print_row("a training step, MetaSan linked and idle", idle.with);
  fmt::print("\n{:<44}{:>10}{:>10}{:>10}\n", "microseconds per operator", "plain", "guarded",
             "more");
  for (const auto& overhead : overheads) {
    fmt::print("{:<44}{:>10.2f}{:>10.2f}{:>10.2f}\n", overhead.what,
               overhead.plain.median() * 1e3 / Overhead::kCalls,
               overhead.guarded.median() * 1e3 / Overhead::kCalls, overhead.us());
  }
  fmt::print("\na record, with stack and tape: {:.0f} bytes; linked / not linked {:.3f}\n",
             declarations.record_bytes, idle_ratio);
  fmt::print(
      "peak RSS grew by {:.1f} MiB, loaded / ordinary {:.3f}, fallback hits after the load {}\n",
      empty.rss_growth_mib, ratio, forward.hits);

  std::ofstream(json_file) << nlohmann::json{{"declare_10000_ms", declarations.declare.median()},
                                             {"empty_init_ms", empty.build.median()},
                                             {"empty_init_rss_mib", empty.rss_growth_mib},
                                             {"guarded_op_overhead_us", most_overhead->us()},
                                             {"idle_ratio", idle_ratio},
                                             {"materialized_hits", forward.hits},
                                             {"materialized_ratio", ratio},
                                             {"record_bytes", declarations.record_bytes}}
                                  .dump(2)
                           << '\n';
}
