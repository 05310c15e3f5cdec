// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <torch/torch.h>

void reference() {
  auto t = torch::empty({1}, torch::kMeta);
  at::Tensor &r = t;
  r.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 'r' has no data
}
void filledThroughReference() {
  auto t = torch::empty({1}, torch::kMeta);
  at::Tensor &r = t;
  r = torch::ones({1});
  t.item();
}
void pointer() {
  auto t = torch::empty({1}, torch::kMeta);
  at::Tensor *p = &t;
  p->item();
  // CHECK-MESSAGES: :[[@LINE-1]]:6: warning: tensor 'p' has no data
}
void filledThroughPointer() {
  auto t = torch::empty({1}, torch::kMeta);
  at::Tensor *p = &t;
  *p = torch::ones({1});
  t.item();
}
void eitherPointer(bool c) {
  auto a = torch::empty({1}, torch::kMeta), b = torch::empty({1}, torch::kMeta);
  at::Tensor *p = c ? &a : &b;
  *p = torch::ones({1});
  a.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 'a' may have no data
}
void allocated() {
  auto *p = new at::Tensor(torch::empty({1}, torch::kMeta));
  p->item();
  // CHECK-MESSAGES: :[[@LINE-1]]:6: warning: tensor 'p' has no data
}
void copiesAreAliases() {
  auto t = torch::empty({1}, torch::kMeta);
  auto u = t;
  u.set_data(torch::ones({1}));
  t.item();
}
void lifetimeExtended() {
  const at::Tensor &t = torch::empty({1}, torch::kMeta);
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
}
