// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <torch/torch.h>

void handed(at::Tensor);
void other();
int local() { return 1; }
at::Tensor Global;

void staticKeepsItsValue() {
  static at::Tensor t = torch::empty({1}, torch::kMeta);
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' may have no data
}
void global() {
  Global = torch::empty({1}, torch::kMeta);
  handed(Global);
  local();
  Global.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: tensor 'Global' has no data
}
void globalAfterACallThatMayChangeIt() {
  Global = torch::empty({1}, torch::kMeta);
  other();
  Global.item();
}
