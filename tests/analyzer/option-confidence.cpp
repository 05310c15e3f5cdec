// RUN: %check_clang_tidy %s metasan-* %t --option metasan-meta-data-dependent.Confidence=definite -- %mock_flags
#include <torch/torch.h>

void maybe(bool c) {
  auto t = torch::ones({1});
  if (c)
    t = torch::empty({1}, torch::kMeta);
  t.item();
}
void definite() {
  auto t = torch::empty({1}, torch::kMeta);
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
}
