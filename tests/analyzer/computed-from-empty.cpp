// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <torch/torch.h>

void throughViews() {
  auto t = torch::empty({2}, torch::kMeta);
  auto u = t.detach().view({2, 1}).t();
  u.item();
  // CHECK-NOTES: :[[@LINE-1]]:5: warning: tensor 'u' has no data: 'item' needs its values [metasan-meta-data-dependent]
  // CHECK-NOTES: :[[@LINE-3]]:12: note: 'u' became empty here: computed from something without data
  // CHECK-NOTES: :[[@LINE-4]]:12: note: it became empty here: computed from something without data
  // CHECK-NOTES: :[[@LINE-5]]:12: note: it became empty here: computed from something without data
  // CHECK-NOTES: :[[@LINE-7]]:12: note: it became empty here: created on the meta device
}

void mixedOperandsAreAnotherRule(const at::Tensor &x) {
  auto t = torch::empty({2}, torch::kMeta);
  at::add(t, x).item();
}
