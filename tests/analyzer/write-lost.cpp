// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void handWrittenLoader() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  for (auto &parameter : model->parameters())
    parameter.copy_(torch::ones({2}));
  // CHECK-NOTES: :[[@LINE-1]]:15: warning: tensor 'parameter' has no memory: what 'copy_' writes into it is lost [metasan-meta-write-lost]
  // CHECK-NOTES: :[[@LINE-4]]:56: note: 'parameter' became empty here: built by 'init_empty_weights'
}
void fromSomewhere(const torch::Tensor &source, const torch::Tensor &(*read)(int)) {
  auto t = torch::empty({2}, torch::kMeta);
  t.copy_(read(0));
  // CHECK-NOTES: :[[@LINE-1]]:5: warning: tensor 't' may have no memory: what 'copy_' writes into it is lost [metasan-meta-write-lost]
  // CHECK-NOTES: :[[@LINE-3]]:12: note: 't' became empty here: created on the meta device
}
// What was declared under a scope is not there yet to be written; under it, the write is recorded.
void underTheScope() {
  metasan::InitEmptyWeights scope;
  Net model(8);
  model->fc->bias.copy_(torch::ones({2}));
}
void nothingToLose() {
  auto t = torch::empty({2}, torch::kMeta);
  t.copy_(torch::empty({2}, torch::kMeta));
}
void fill(torch::Tensor target) { target.copy_(torch::ones({2})); }
void inACallee() {
  auto t = torch::empty({2}, torch::kMeta);
  fill(t);
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: tensor 't' has no memory: what 'copy_' in 'fill' writes into it is lost [metasan-meta-write-lost]
  // CHECK-NOTES: :[[@LINE-5]]:42: note: 'target' is written here
  // CHECK-NOTES: :[[@LINE-4]]:12: note: 't' became empty here: created on the meta device
  fill(torch::zeros({2}, {}, {}));
}
