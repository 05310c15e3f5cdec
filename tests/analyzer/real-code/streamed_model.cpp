// A model larger than memory: registered without data, its blocks streamed in, used and dropped.
#include <metasan/metasan.h>
#include <torch/torch.h>

namespace streamed_model {

struct BlockImpl : torch::nn::Module {
  explicit BlockImpl(int64_t width)
      : norm(register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})))),
        up(register_module("up", torch::nn::Linear(width, 4 * width))),
        down(register_module("down", torch::nn::Linear(4 * width, width))) {}
  torch::Tensor forward(const torch::Tensor& x) { return x + down(torch::gelu(up(norm(x)))); }
  torch::nn::LayerNorm norm;
  torch::nn::Linear up, down;
};
TORCH_MODULE(Block);

using State = std::map<std::string, torch::Tensor>;

struct DenoiserImpl : torch::nn::Module {
  DenoiserImpl(int64_t width, int depth) {
    for (int i = 0; i < depth; ++i)
      blocks->push_back(Block(width));
    register_module("blocks", blocks);
    this->to(torch::kMeta);
  }

  static void fill(torch::nn::Module& block, const State& state, torch::Device device) {
    torch::NoGradGuard no_grad;
    for (auto& parameter : block.named_parameters())
      parameter.value().set_data(state.at(parameter.key()).to(device));
  }
  static void drop(torch::nn::Module& block) {
    torch::NoGradGuard no_grad;
    for (auto& parameter : block.parameters())
      parameter.set_data(torch::empty_like(parameter, torch::kMeta));
  }

  torch::Tensor forward(torch::Tensor x, const std::function<State(std::size_t)>& load) {
    for (std::size_t i = 0; i < blocks->size(); ++i) {
      auto& block = *blocks[i]->as<Block>();
      fill(block, load(i), x.device());
      x = block.forward(x);
      drop(block);
    }
    return x;
  }

  torch::nn::ModuleList blocks;
};
TORCH_MODULE(Denoiser);

double denoise(const std::function<State(std::size_t)>& load, int steps) {
  Denoiser model(64, 12);
  auto x = torch::randn({1, 64});
  for (int step = 0; step < steps; ++step)
    x = x - 0.1 * model(x, load);
  return x.norm().item<double>();
}

int64_t bytes_of(int64_t width) {
  auto model = metasan::init_empty_weights([&] { return Denoiser(width, 48); });
  int64_t bytes = 0;
  for (const auto& parameter : model->parameters())
    bytes += parameter.numel() * parameter.element_size();
  return bytes;
}

torch::Tensor from_checkpoint(const std::string& checkpoint, torch::Device device) {
  auto block = metasan::init_empty_weights([] { return Block(64); });
  metasan::load_checkpoint_and_dispatch(block, checkpoint, device);
  auto out = block(torch::ones({1, 64}, device)).cpu();
  std::cout << out << block->norm->weight;
  return out;
}

} // namespace streamed_model
