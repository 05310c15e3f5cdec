// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void sharedPointer() {
  std::shared_ptr<NetImpl> model;
  {
    metasan::InitEmptyWeights scope;
    model = std::make_shared<NetImpl>(8);
  }
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
}
void uniquePointer() {
  metasan::InitEmptyWeights scope;
  auto model = std::make_unique<NetImpl>(8);
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
}
void rawPointer() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  NetImpl *raw = model.get();
  raw->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:8: warning: module 'raw' has no weights yet
}
void reference() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  torch::nn::Module &base = *model;
  base.to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:8: warning: module 'base' has no weights yet
}
void newExpression() {
  metasan::InitEmptyWeights scope;
  NetImpl *model = new NetImpl(8);
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
}
void aliasIsLoaded() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  Net alias = model;
  metasan::load_checkpoint_in_model(alias, "weights.safetensors");
  model->to(torch::kCPU);
}
void sharedPointerOfHolder() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  std::shared_ptr<NetImpl> pointer = model.ptr();
  metasan::load_checkpoint_in_model(pointer, "weights.safetensors");
  model->to(torch::kCPU);
}
void onlyOneAliasIsRebound() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  Net alias = model;
  model = Net(8);
  model->to(torch::kCPU);
  alias->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'alias' has no weights yet
}
void moveKeepsTheModule() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  Net other = std::move(model);
  other->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'other' has no weights yet
}
