// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void readOnly(const at::Tensor &);
void byValue(at::Tensor);
void fills(at::Tensor &);
void fillsThroughPointer(at::Tensor *);
void loads(Net model);
void loadsModule(torch::nn::Module &);
void looks(const torch::nn::Module &);
at::Tensor makes();

void constReference() {
  auto t = torch::empty({1}, torch::kMeta);
  readOnly(t);
  byValue(t);
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
}
void reference() {
  auto t = torch::empty({1}, torch::kMeta);
  fills(t);
  t.item();
  auto u = torch::empty({1}, torch::kMeta);
  fillsThroughPointer(&u);
  u.item();
}
void holderByValueSharesTheModule() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  loads(model);
  model->to(torch::kCPU);
}
void moduleReference() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  loadsModule(*model);
  model->to(torch::kCPU);
}
void constModuleReference() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  looks(*model);
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
}
void method() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->load_weights("net.bin");
  model->to(torch::kCPU);
}
void asksTheModule() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  if (!model->is_loaded())
    model->load_weights("net.bin");
  model->to(torch::kCPU);
}
void returnsAnything() { makes().item(); }
