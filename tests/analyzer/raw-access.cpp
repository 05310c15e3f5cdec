// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void accessors() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->fc->weight.data_ptr();
  // CHECK-NOTES: :[[@LINE-1]]:21: warning: tensor 'model->fc->weight' has no data: 'data_ptr' gives a pointer to nothing [metasan-meta-raw-access]
  // CHECK-NOTES: :[[@LINE-3]]:56: note: 'model->fc->weight' became empty here: built by 'init_empty_weights'
  auto t = torch::empty({2}, torch::kMeta);
  t.accessor<float, 1>();
  // CHECK-NOTES: :[[@LINE-1]]:5: warning: tensor 't' has no data: 'accessor' gives a pointer to nothing [metasan-meta-raw-access]
  // CHECK-NOTES: :[[@LINE-3]]:12: note: 't' became empty here: created on the meta device
  auto other = torch::empty({2}, torch::kMeta);
  other.storage().data();
  // CHECK-NOTES: :[[@LINE-1]]:19: warning: tensor 'other.storage()' has no data: 'data' gives a pointer to nothing [metasan-meta-raw-access]
  // CHECK-NOTES: :[[@LINE-3]]:16: note: 'other.storage()' became empty here: created on the meta device
}
void throughAView() {
  auto t = torch::empty({2}, torch::kMeta);
  t.view({1, 2}).data_ptr();
  // CHECK-NOTES: :[[@LINE-1]]:18: warning: tensor 't.view({1, 2})' has no data: 'data_ptr' gives a pointer to nothing [metasan-meta-raw-access]
  // CHECK-NOTES: :[[@LINE-2]]:3: note: 't.view({1, 2})' became empty here: computed from something without data
  // CHECK-NOTES: :[[@LINE-4]]:12: note: it became empty here: created on the meta device
}
// A null pointer is what the code wants.
const void *sentinel(const torch::Tensor &t) { return t.is_meta() ? nullptr : t.data_ptr(); }
void none() {
  auto t = torch::empty({2}, torch::kMeta);
  sentinel(t);
  t.storage().nbytes();
}
