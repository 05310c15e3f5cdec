// What goes wrong in the analysis of one function is said, and the others are analyzed. The annotation makes the analysis crash on purpose.
// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <torch/torch.h>

[[clang::annotate("metasan:debug_crash")]] void crashes() {
  // CHECK-MESSAGES: :[[@LINE-1]]:49: remark: the analysis of function 'crashes' failed; please report this
  auto t = torch::empty({1}, torch::kMeta);
  t.item();
}
void next() {
  auto t = torch::empty({1}, torch::kMeta);
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
}
