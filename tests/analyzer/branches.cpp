// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void oneBranch(bool c) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  if (c)
    metasan::load_checkpoint_in_model(model, "weights.safetensors");
  model->to(torch::kCPU);
  // CHECK-NOTES: :[[@LINE-1]]:10: warning: module 'model' may have no weights yet: 'to' needs their data [metasan-meta-copy-out]
  // CHECK-NOTES: :[[@LINE-5]]:56: note: 'model' became empty here: built by 'init_empty_weights'
  // CHECK-NOTES: :[[@LINE-4]]:5: note: it gets data here, but not on every path
  // CHECK-NOTES: :[[@LINE-6]]:7: note: not when this condition is false
}
void bothBranches(bool c) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  if (c)
    metasan::load_checkpoint_in_model(model, "a.safetensors");
  else
    metasan::load_checkpoint_in_model(model, "b.safetensors");
  model->to(torch::kCPU);
}
void emptyOnBoth(bool c) {
  at::Tensor t;
  if (c)
    t = torch::empty({1}, torch::kMeta);
  else
    t = torch::empty({2}, torch::kMeta);
  t.item();
  // CHECK-NOTES: :[[@LINE-1]]:5: warning: tensor 't' has no data: 'item' needs its values [metasan-meta-data-dependent]
  // CHECK-NOTES: :[[@LINE-5]]:9: note: 't' became empty here: created on the meta device
}
void jumps(bool c) {
  auto t = torch::empty({1}, torch::kMeta);
  if (c)
    goto out;
  t = torch::ones({1});
out:
  t.item();
  // CHECK-NOTES: :[[@LINE-1]]:5: warning: tensor 't' may have no data: 'item' needs its values [metasan-meta-data-dependent]
  // CHECK-NOTES: :[[@LINE-7]]:12: note: 't' became empty here: created on the meta device
}
void chosen(bool c) {
  auto a = torch::empty({1}, torch::kMeta), b = torch::ones({1});
  (c ? a : b).item();
  // CHECK-NOTES: :[[@LINE-1]]:15: warning: this tensor may have no data: 'item' needs its values [metasan-meta-data-dependent]
  // CHECK-NOTES: :[[@LINE-3]]:12: note: it became empty here: created on the meta device
}
void unreachable() {
  auto t = torch::empty({1}, torch::kMeta);
  return;
  t.item();
}
