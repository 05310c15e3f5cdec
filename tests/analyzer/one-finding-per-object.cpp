// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void sameTensorTwice() {
  auto t = torch::empty({1}, torch::kMeta);
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
  t.item();
  t.equal(t);
}
void partsOfOneModule() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->scale.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:16: warning: tensor 'model->scale' has no data
  model->fc->weight.item();
}
void differentRules() {
  auto t = torch::empty({1}, torch::kMeta);
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data: 'item'
  t.cpu();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data: 'cpu'
}
