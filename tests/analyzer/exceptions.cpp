// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags -fexceptions -fcxx-exceptions
#include <torch/torch.h>

void mayThrow(at::Tensor);

void caught() {
  auto t = torch::empty({1}, torch::kMeta);
  try {
    mayThrow(t);
    t = torch::ones({1});
  } catch (...) {
    t.item();
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 't' has no data
  }
}
void filledBefore() {
  auto t = torch::empty({1}, torch::kMeta);
  t = torch::ones({1});
  try {
    mayThrow(t);
  } catch (...) {
    t.item();
  }
}
void throwsWhenEmpty() {
  auto t = torch::empty({1}, torch::kMeta);
  if (t.is_meta())
    throw 1;
  t.item();
}
#define EXPECT_THROW(statement, type)                                                              \
  try {                                                                                            \
    statement;                                                                                     \
  } catch (const type &) {                                                                         \
  }
struct Error {};
void expected() {
  auto t = torch::empty({1}, torch::kMeta);
  EXPECT_THROW(t.item(), Error);
}
