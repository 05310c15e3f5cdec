// Trains an ordinary model, and prints how long a step takes in microseconds. Built twice: with
// LibTorch alone, and with MetaSan's runtime linked as well, which has nothing to do here.
#include <torch/torch.h>

#include <chrono>
#include <cstdio>

namespace {

torch::nn::Sequential make_model() {
  return torch::nn::Sequential(torch::nn::Linear(32, 64), torch::nn::ReLU(),
                               torch::nn::LayerNorm(torch::nn::LayerNormOptions({64})),
                               torch::nn::Linear(64, 64), torch::nn::GELU(),
                               torch::nn::Linear(64, 8));
}

}  // namespace

int main() {
  at::set_num_threads(1);
  torch::manual_seed(0);
  auto model = make_model();
  torch::optim::Adam optimizer(model->parameters(), 1e-3);
  const auto input = torch::randn({8, 32});
  const auto step = [&] {
    optimizer.zero_grad();
    model->forward(input).pow(2).mean().backward();
    optimizer.step();
  };
  constexpr int kWarmUp = 200;
  constexpr int kSteps = 2000;
  for (int i = 0; i < kWarmUp; ++i) {
    step();
  }
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kSteps; ++i) {
    step();
  }
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
  std::printf("%f\n", taken.count() / kSteps);
}
