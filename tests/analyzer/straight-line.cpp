// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <net.h>

void readsValues() {
  at::Tensor t = torch::empty({2, 3}, torch::kMeta);
  t.item();
  // CHECK-NOTES: :[[@LINE-1]]:5: warning: tensor 't' has no data: 'item' needs its values [metasan-meta-data-dependent]
  // CHECK-NOTES: :[[@LINE-3]]:18: note: 't' became empty here: created on the meta device
}

void copiesOut() {
  at::Tensor t = torch::empty({2, 3}, torch::kMeta);
  auto u = t.to(torch::kCPU);
  // CHECK-NOTES: :[[@LINE-1]]:14: warning: tensor 't' has no data: 'to' needs it [metasan-meta-copy-out]
  // CHECK-NOTES: :[[@LINE-3]]:18: note: 't' became empty here: created on the meta device
}

void hasData() {
  at::Tensor t = torch::ones({2, 3}, torch::kCPU);
  t.item();
  t.to(torch::kCUDA);
}

void unknown(const at::Tensor &t) {
  t.item();
  t.cpu();
}
