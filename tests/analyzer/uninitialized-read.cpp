// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void computed() {
  auto t = torch::empty({2});
  auto s = t.add(torch::ones({2}));
  // CHECK-NOTES: :[[@LINE-1]]:14: warning: tensor 't' was never written: 'add' reads whatever was in memory [metasan-uninitialized-read]
  // CHECK-NOTES: :[[@LINE-3]]:12: note: 't' was allocated here, without values
  auto like = torch::empty_like(s);
  like.item();
}
void updatedInPlace() {
  auto t = torch::empty({2});
  t.add(torch::ones({2}));
  // CHECK-NOTES: :[[@LINE-1]]:5: warning: tensor 't' was never written: 'add' reads whatever was in memory [metasan-uninitialized-read]
  // CHECK-NOTES: :[[@LINE-3]]:12: note: 't' was allocated here, without values
}
void written(const torch::Tensor &x) {
  auto zero = torch::empty({2});
  zero.zero_();
  zero.item();
  auto copy = torch::empty({2});
  copy.copy_(x);
  copy.item();
  auto row = torch::empty({2});
  row[0].copy_(x);
  row.item();
  auto raw = torch::empty({2});
  raw.data_ptr();
  raw.item();
  torch::empty({0, 2}).item();
}
void onOnePath(bool c) {
  auto t = torch::empty({2});
  if (c)
    t.zero_();
  t.item();
  // CHECK-NOTES: :[[@LINE-1]]:5: warning: tensor 't' may not have been written: 'item' reads whatever was in memory [metasan-uninitialized-read]
  // CHECK-NOTES: :[[@LINE-5]]:12: note: 't' was allocated here, without values
  // CHECK-NOTES: :[[@LINE-4]]:5: note: it gets data here, but not on every path
  // CHECK-NOTES: :[[@LINE-6]]:7: note: not when this condition is false
}
void fill(torch::Tensor t) { t.normal_(); }
void read(const torch::Tensor &t) { t.item(); }
void fillUnseen(torch::Tensor t);
void callees() {
  auto t = torch::empty({2});
  fill(t);
  read(t);
  auto u = torch::empty({2});
  fillUnseen(u);
  read(u);
  auto v = torch::empty({2});
  read(v);
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: tensor 'v' was never written: 'item' in 'read' reads whatever was in memory [metasan-uninitialized-read]
  // CHECK-NOTES: :[[@LINE-12]]:39: note: 't' is read here
  // CHECK-NOTES: :[[@LINE-4]]:12: note: 'v' was allocated here, without values
}
