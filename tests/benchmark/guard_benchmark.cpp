// What the guard costs: building empty, and running a model that was built empty and then loaded.
#include "tests/benchmark/samples.h"

#include "runtime/guard/hits.h"

#include <metasan/metasan.h>

#include "model.h"

#include <fmt/format.h>
#include <torch/torch.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <sys/resource.h>

#include <fstream>

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
  const auto forward = measure_forward(model_dir);
  const auto ratio = forward.materialized.median() / forward.ordinary.median();

  fmt::print("{:<44}{:>10}{:>10}{:>10}\n", "milliseconds", "min", "median", "max");
  print_row(fmt::format("build {:.1f} billion parameters empty", empty.parameters / 1e9),
            empty.build);
  print_row("4 x MiniLM forward [4, 32], ordinary", forward.ordinary);
  print_row("4 x MiniLM forward [4, 32], loaded", forward.materialized);
  fmt::print(
      "\npeak RSS grew by {:.1f} MiB, loaded / ordinary {:.3f}, fallback hits after the load {}\n",
      empty.rss_growth_mib, ratio, forward.hits);

  std::ofstream(json_file) << nlohmann::json{{"empty_init_ms", empty.build.median()},
                                             {"empty_init_rss_mib", empty.rss_growth_mib},
                                             {"materialized_hits", forward.hits},
                                             {"materialized_ratio", ratio}}
                                  .dump(2)
                           << '\n';
}
