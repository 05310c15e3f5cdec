// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <torch/torch.h>

bool flag();

void holdsIsMeta() {
  auto t = torch::empty({1}, torch::kMeta);
  bool meta = t.is_meta();
  if (!meta)
    t.item();
}
void holdsACombination(bool c) {
  auto t = torch::empty({1}, torch::kMeta);
  bool usable = c && !t.is_meta();
  if (usable)
    t.item();
}
void whichOfTwo(bool c) {
  auto t = torch::ones({1});
  if (c)
    t = torch::empty({1}, torch::kMeta);
  bool meta = t.is_meta();
  if (!meta)
    t.item();
  if (meta)
    t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 't' has no data
}
void staleAnswer() {
  auto t = torch::ones({1});
  bool meta = t.is_meta();
  t = torch::empty({1}, torch::kMeta);
  if (!meta)
    t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 't' has no data
}
void filledWhenSet() {
  auto t = torch::empty({1}, torch::kMeta);
  bool filled = false;
  if (flag()) {
    t = torch::ones({1});
    filled = true;
  }
  if (filled)
    t.item();
}
