// A function that costs too much is skipped, and it is said so, once for all checks.
// RUN: %check_clang_tidy %s metasan-* %t --option metasan-meta-copy-out.BlockBudget=8 -- %mock_flags
#include <torch/torch.h>

bool more();

void tooLarge(bool a, bool b) {
  // CHECK-MESSAGES: :[[@LINE-1]]:6: remark: function 'tooLarge' is too large to be analyzed and was skipped
  auto t = torch::empty({1}, torch::kMeta);
  while (more())
    if (a)
      while (more())
        if (b)
          t = torch::ones({1});
  t.item();
}
void small() {
  auto t = torch::empty({1}, torch::kMeta);
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
}
