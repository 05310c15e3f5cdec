// What metasan_enable_checks must find while this compiles.
#include <metasan/metasan.h>

#include <torch/nn/modules/linear.h>

void dispatch_nothing() {
  auto layer = metasan::init_empty_weights([] { return torch::nn::Linear(8, 4); });
  metasan::dispatch_model(layer, torch::kCPU);
}
