/// Sentence embeddings, with a bug: the model is built without weights, to save time and memory,
/// and then used before any weights are loaded. MetaSan's checks find it while the program
/// compiles, its runtime when it runs.
#include "embed.h"
#include "model.h"

#include <metasan/metasan.h>

#include <exception>
#include <filesystem>
#include <iostream>

namespace {

void run(const minilm::Arguments& arguments) {
  const auto config = minilm::read_config(arguments.model_dir / "config.json");
  const std::filesystem::path checkpoint = arguments.model_dir / "model.safetensors";
  const torch::Device device = torch::kCPU;

  minilm::Model model{nullptr};
  {
    metasan::InitEmptyWeights scope;
    model = minilm::Model(config);
  }
  metasan::dispatch_model(model, device);
  model->to(device);

  model->eval();
  minilm::print_similarities(model, arguments, device);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(minilm::parse_arguments(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
