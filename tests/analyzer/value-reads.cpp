// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <torch/torch.h>

void templateItem() {
  auto t = torch::empty({1}, torch::kMeta);
  float f = t.item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:15: warning: tensor 't' has no data: 'item' needs its values [metasan-meta-data-dependent]
}
void method(const at::Tensor &x) {
  auto t = torch::empty({1}, torch::kMeta);
  x.equal(t);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data: 'equal' needs its values
}
void freeFunction(const at::Tensor &x) {
  auto t = torch::empty({1}, torch::kMeta);
  torch::allclose(x, t);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: tensor 't' has no data: 'allclose' needs its values
}
void shapeDependsOnValues() {
  auto t = torch::empty({1}, torch::kMeta);
  auto n = t.nonzero();
  // CHECK-MESSAGES: :[[@LINE-1]]:14: warning: tensor 't' has no data: 'nonzero' needs its values
}
void selects(const at::Tensor &mask) {
  auto t = torch::empty({1}, torch::kMeta);
  t.masked_select(mask);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data: 'masked_select' needs its values
}
void truth() {
  auto t = torch::empty({1}, torch::kMeta);
  if (t.is_nonzero())
    // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: tensor 't' has no data: 'is_nonzero' needs its values
    return;
}
void prints() {
  auto t = torch::empty({1}, torch::kMeta);
  std::cout << t;
  // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: tensor 't' has no data: printing needs its values
}
