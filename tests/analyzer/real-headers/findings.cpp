// What the mock headers stand for is what LibTorch's own headers give.
// REQUIRES: torch-headers
// RUN: %check_clang_tidy %s metasan-* %t -- %torch_flags
#include <metasan/metasan.h>
#include <torch/torch.h>

#include <iostream>
#include <memory>
#include <tuple>

const torch::Device OnDisk{"meta"};

void constant() { torch::empty({2, 3}, torch::kMeta).item(); }
// CHECK-MESSAGES: :[[@LINE-1]]:54: warning: tensor {{.*}} has no data: 'item' needs its values
void options() {
  auto options = torch::TensorOptions().dtype(torch::kHalf);
  options = options.device(torch::kMeta).requires_grad(false);
  auto t = torch::zeros({2}, options);
  std::cout << t;
  // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: tensor 't' has no data: printing needs its values
}
void device() {
  auto t = at::rand({2}, torch::device(c10::DeviceType::Meta));
  t.cpu();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data: 'cpu' needs it
}
void text() {
  auto t = torch::arange(4, torch::Device("meta"));
  bool same = torch::allclose(t, t);
  // CHECK-MESSAGES: :[[@LINE-1]]:15: warning: tensor 't' has no data: 'allclose' needs its values
  (void)same;
}
void fullSignature() {
  auto t = at::empty({2}, at::kFloat, std::nullopt, at::Device(at::kMeta), std::nullopt, std::nullopt);
  float f = t.item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:15: warning: tensor 't' has no data: 'item' needs its values
  (void)f;
}
void global() {
  auto t = torch::empty({2}, OnDisk);
  t.nonzero();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data: 'nonzero' needs its values
}
void like(const torch::Tensor &x) {
  auto t = torch::empty_like(x, torch::kMeta);
  auto u = (t + t).relu().t();
  u.to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 'u' has no data: 'to' needs it
}
void pair(const torch::Tensor &x) {
  std::pair<torch::Tensor, int> p{x.to(torch::kMeta), 1};
  auto [t, n] = p;
  t.is_nonzero();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data: 'is_nonzero' needs its values
}
void vector() {
  std::vector<torch::Tensor> all;
  all.push_back(torch::empty({2}, torch::kMeta));
  for (auto &t : all)
    t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 't' has no data
}
void array() {
  torch::Tensor ts[2] = {torch::empty({2}, torch::kMeta), torch::ones({2})};
  ts[1].item();
  ts[0].item();
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: tensor 'ts[0]' has no data
}
void pointer() {
  auto layer = std::make_shared<torch::nn::LinearImpl>(2, 2);
  {
    metasan::InitEmptyWeights scope;
    layer = std::make_shared<torch::nn::LinearImpl>(2, 2);
  }
  layer->weight.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:17: warning: tensor 'layer->weight' has no data
  layer->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'layer' has no weights yet
}
void parameters() {
  auto layer = metasan::init_empty_weights([] { return torch::nn::Linear(2, 2); });
  for (auto &p : layer->named_parameters())
    std::cout << p.value();
  // CHECK-MESSAGES: :[[@LINE-1]]:15: warning: tensor 'p.value()' has no data
}
void sequential() {
  auto net = metasan::init_empty_weights(
      [] { return torch::nn::Sequential(torch::nn::Linear(2, 2), torch::nn::ReLU()); });
  net->to(torch::kCUDA);
  // CHECK-MESSAGES: :[[@LINE-1]]:8: warning: module 'net' has no weights yet
}
void caught() {
  auto t = torch::empty({2}, torch::kMeta);
  try {
    t.add_(1);
    t = torch::ones({2});
  } catch (const c10::Error &) {
    t.item();
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 't' has no data
  }
}
