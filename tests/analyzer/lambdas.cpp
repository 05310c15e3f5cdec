// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void later(std::function<void()>);

void immediateFills() {
  auto t = torch::empty({1}, torch::kMeta);
  [&] { t = torch::ones({1}); }();
  t.item();
}
void immediateReads() {
  auto t = torch::empty({1}, torch::kMeta);
  [&] { t.item(); }();
  // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: tensor 't' has no data
}
void named() {
  auto t = torch::empty({1}, torch::kMeta);
  auto fill = [&] { t = torch::ones({1}); };
  auto read = [&] { t.item(); };
  // CHECK-MESSAGES: :[[@LINE-1]]:23: warning: tensor 't' may have no data
  read();
  fill();
  read();
}
void returns() {
  auto make = [] { return torch::empty({1}, torch::kMeta); };
  make().item();
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: tensor 'make()' has no data
}
void parameter() {
  auto read = [](const at::Tensor &x) { x.item(); };
  // CHECK-MESSAGES: :[[@LINE-1]]:43: warning: tensor 'x' has no data
  auto t = torch::empty({1}, torch::kMeta);
  read(t);
}
void escapes() {
  auto t = torch::empty({1}, torch::kMeta);
  later([&] { t = torch::ones({1}); });
  t.item();
}
void copyIsTakenWhenMade() {
  auto t = torch::ones({1});
  auto read = [t] { t.item(); };
  t = torch::empty({1}, torch::kMeta);
  read();
}
void ownBody() {
  later([] {
    auto t = torch::empty({1}, torch::kMeta);
    t.item();
    // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 't' has no data
  });
}
void builderAssignsACapture() {
  at::Tensor t;
  auto model = metasan::init_empty_weights([&] {
    t = torch::empty({1});
    return Net(8);
  });
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
}
