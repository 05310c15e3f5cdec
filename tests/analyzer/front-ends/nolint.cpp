// The comments that suppress clang-tidy's findings; same-findings.test reads this file with the compiler plugin too.
// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <torch/torch.h>

// NOLINTBEGIN(metasan-meta-data-dependent)
void block() {
  auto t = torch::empty({1}, torch::kMeta);
  t.item();
  // NOLINTBEGIN(metasan-meta-copy-out)
  t.cpu();
  // NOLINTEND(metasan-meta-copy-out)
}
// NOLINTEND(metasan-meta-data-dependent)

void notInBlock() {
  auto t = torch::empty({1}, torch::kMeta);
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
}
void sameLine() {
  auto t = torch::empty({1}, torch::kMeta);
  t.item(); // NOLINT
  t.cpu();  // NOLINT(metasan-meta-copy-out): a shape is all that is wanted
}
void nextLine() {
  auto t = torch::empty({1}, torch::kMeta);
  // NOLINTNEXTLINE
  t.item();
  // NOLINTNEXTLINE(bugprone-*, metasan-meta-copy-out)
  t.cpu();
}
void patterns() {
  auto t = torch::empty({1}, torch::kMeta);
  t.item(); // NOLINT(metasan-*)
  t.cpu();  // NOLINT(metasan-meta-*)
}
void otherCheck() {
  auto t = torch::empty({1}, torch::kMeta);
  t.item(); // NOLINT(metasan-meta-copy-out)
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
  t.cpu(); // NOLINT(metasan-*,-metasan-meta-copy-out): a minus means nothing here
}
void empty() {
  auto t = torch::empty({1}, torch::kMeta);
  t.item(); // NOLINT()
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
}
void otherLine() {
  auto t = torch::empty({1}, torch::kMeta);
  // NOLINT
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
  // NOLINTNEXTLINE

  t.cpu();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
}
#define READ(x) x.item() // NOLINT
#define COPY(x) x.cpu()
void macros() {
  auto t = torch::empty({1}, torch::kMeta);
  READ(t);
  COPY(t); // NOLINT(metasan-meta-copy-out)
}
