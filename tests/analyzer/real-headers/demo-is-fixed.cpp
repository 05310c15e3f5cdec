// The main example with LibTorch's and MetaSan's own headers: both mistakes are found, and the fixed file compiles and is clean.
// REQUIRES: torch-headers
// RUN: %check_clang_tidy %s metasan-* %t --recheck -- %torch_flags
#include <metasan/dispatch.h>
#include <metasan/empty_init.h>
#include <torch/torch.h>

#include <filesystem>
// CHECK-FIXES: {{^}}#include <metasan/load.h>{{$}}

struct EncoderImpl : torch::nn::Module {
  explicit EncoderImpl(int64_t width)
      : attention(register_module("attention", torch::nn::Linear(width, width))),
        scale(register_parameter("scale", torch::ones({width}))) {}
  torch::Tensor forward(const torch::Tensor &x) { return attention(x) * scale; }
  torch::nn::Linear attention;
  torch::Tensor scale;
};
TORCH_MODULE(Encoder);

void demo(const std::filesystem::path &checkpoint, torch::Device device) {
  Encoder model{nullptr};
  {
    metasan::InitEmptyWeights scope;
    model = Encoder(8);
  }
  metasan::dispatch_model(model, device);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: module 'model' has no weights yet: 'dispatch_model' only places weights that are loaded [metasan-dispatch-without-weights]
  // CHECK-MESSAGES: note: 'model' became empty here: built under the 'InitEmptyWeights' scope 'scope'
  // CHECK-MESSAGES: note: scope 'scope' opened here
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, checkpoint, device);{{$}}
  model->to(device);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet: 'to' needs their data [metasan-meta-copy-out]
}

void builder(const std::string &weights) {
  auto model = metasan::init_empty_weights([&] { return Encoder(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet: 'to' needs their data [metasan-meta-copy-out]
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, weights, torch::kCPU);{{$}}
}
