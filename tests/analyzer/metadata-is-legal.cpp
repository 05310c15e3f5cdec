// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <torch/torch.h>

void onTensors() {
  auto t = torch::empty({2, 3}, torch::kMeta);
  t.dim();
  t.size(0);
  t.numel();
  auto c = t.clone();
  auto d = t.detach().view({6}).t();
  auto h = t.to(torch::kHalf);
  auto m = t.to(torch::kMeta);
  auto o = t.to(torch::TensorOptions().dtype(torch::kHalf));
  auto l = torch::empty_like(t);
  auto sum = at::add(t, c).mul(d);
  t.zero_();
  t.normal_();
  t.to(c);
  t.options();
}

void copiesIntoMeta(const at::Tensor &x) {
  auto t = torch::empty({2, 3}, torch::kMeta);
  t.copy_(x);
  auto u = torch::empty({2, 3}, torch::kMeta);
  u.copy_(t);
}
