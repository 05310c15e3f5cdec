// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void module() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  torch::save(model, "model.pt");
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: module 'model' has no weights yet: 'save' writes a file without them [metasan-meta-saved]
  // CHECK-NOTES: :[[@LINE-3]]:56: note: 'model' became empty here: built by 'init_empty_weights'
}
void tensors() {
  std::vector<torch::Tensor> all{torch::empty({2}, torch::kMeta)};
  torch::save(all, "all.pt");
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: a tensor in 'all' has no data: 'save' writes a file without it [metasan-meta-saved]
  // CHECK-NOTES: :[[@LINE-3]]:34: note: it became empty here: created on the meta device
}
void loaded() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  metasan::load_checkpoint_in_model(model, "model.safetensors");
  torch::save(model, "model.pt");
}
