// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <torch/torch.h>

template <class T> void read(T) {
  auto t = torch::empty({1}, torch::kMeta);
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
}
template <class T> void neverInstantiated(T) {
  auto t = torch::empty({1}, torch::kMeta);
  t.item();
}
void instantiates() {
  read(1);
  read(2.0);
}
