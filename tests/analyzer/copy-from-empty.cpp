// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <torch/torch.h>

void intoRealMemory() {
  auto t = torch::empty({1}, torch::kMeta);
  auto u = torch::ones({1});
  u.copy_(t);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data: 'copy_' needs it [metasan-meta-copy-out]
}
void toTheDeviceOfAnother(const at::Tensor &x) {
  auto t = torch::empty({1}, torch::kMeta);
  t.to(x);
  t.to(x.device());
  t.to(torch::ones({1}));
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data: 'to' needs it
}
