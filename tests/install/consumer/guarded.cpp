// A program of a user: builds a layer empty, misuses it, and gets MetaSan's error instead of
// garbage.
#include <metasan/metasan.h>

#include <torch/nn/modules/linear.h>

#include <iostream>

int main() {
  auto layer = metasan::init_empty_weights([] { return torch::nn::Linear(8, 4); });
  if (metasan::state_of(layer) != metasan::State::Declared) {
    std::cerr << "the layer is not empty\n";
    return 1;
  }
  try {
    metasan::dispatch_model(layer, torch::kCPU);
  } catch (const metasan::MetaTensorError& error) {
    std::cout << metasan::info(error.rule()).id << ' ' << error.tensor() << '\n';
    return 0;
  }
  std::cerr << "an empty module was dispatched\n";
  return 1;
}
