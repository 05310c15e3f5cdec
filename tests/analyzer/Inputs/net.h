// A user's module, in the two spellings LibTorch has for one.
#pragma once
#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl(int width = 4);
  at::Tensor forward(const at::Tensor &);
  void load_weights(const std::string &);
  bool is_loaded() const;
  torch::nn::Linear fc{nullptr};
  at::Tensor scale;
};
TORCH_MODULE(Net);
