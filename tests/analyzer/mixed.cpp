// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void forward() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  auto input = torch::ones({2});
  model(input);
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: module 'model' has no weights yet: calling it mixes them with tensors that have data [metasan-meta-mixed]
  // CHECK-NOTES: :[[@LINE-4]]:56: note: 'model' became empty here: built by 'init_empty_weights'
}
void operators() {
  auto w = torch::empty({2}, torch::kMeta), x = torch::ones({2});
  torch::add(x, w);
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: tensor 'w' has no data: 'add' mixes it with tensors that have data [metasan-meta-mixed]
  // CHECK-NOTES: :[[@LINE-3]]:12: note: 'w' became empty here: created on the meta device
}
void shapesOnly() {
  auto w = torch::empty({2}, torch::kMeta);
  torch::add(w, torch::empty({2}, torch::kMeta));
  torch::ones({2}).expand_as(w);
}
torch::Tensor combine(const torch::Tensor &a, const torch::Tensor &b) { return torch::add(a, b); }
void inACallee() {
  auto w = torch::empty({2}, torch::kMeta);
  combine(w, w);
  combine(w, torch::ones({2}));
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: tensor 'w' has no data: 'add' in 'combine' mixes it with tensors that have data [metasan-meta-mixed]
  // CHECK-NOTES: :[[@LINE-6]]:80: note: the data of 'a' are needed here
  // CHECK-NOTES: :[[@LINE-5]]:12: note: 'w' became empty here: created on the meta device
}
// Whether the caller's tensor has data is for the caller to say.
torch::Tensor scaled(const torch::Tensor &x) {
  auto scale = torch::empty({2}, torch::kMeta);
  return torch::add(x, scale);
}
void callers() {
  scaled(torch::empty({2}, torch::kMeta));
  scaled(torch::ones({2}));
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: tensor 'scale' has no data: 'add' in 'scaled' mixes it with tensors that have data [metasan-meta-mixed]
  // CHECK-NOTES: :[[@LINE-6]]:10: note: the data of 'scale' are needed here
}
