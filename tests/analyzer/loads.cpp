// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void inPlace() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  metasan::load_checkpoint_in_model(model, "model.safetensors");
  metasan::dispatch_model(model, torch::kCPU);
}
void andDispatch() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  metasan::load_checkpoint_and_dispatch(model, "model.safetensors", torch::kCPU);
  model->fc->weight.item();
}
void native() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  torch::load(model, "model.pt");
  model->to(torch::kCPU);
}
void byReference() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  metasan::load_checkpoint_in_model(*model, "model.safetensors");
  model->to(torch::kCPU);
}
void tensor() {
  auto t = torch::empty({1}, torch::kMeta);
  torch::load(t, "t.pt");
  t.item();
}
void setData() {
  auto t = torch::empty({1}, torch::kMeta);
  auto alias = t;
  alias.set_data(torch::ones({1}));
  t.item();
}
void reassigned() {
  auto t = torch::empty({1}, torch::kMeta);
  t = torch::ones({1});
  t.item();
}
void initializersGiveNoData() {
  auto t = torch::empty({1}, torch::kMeta);
  t.normal_();
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
}
void savingGivesNoData() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  torch::save(model, "model.pt");
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: module 'model' has no weights yet
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
}
