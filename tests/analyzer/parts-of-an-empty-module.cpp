// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void member() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->scale.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:16: warning: tensor 'model->scale' has no data
}
void memberOfMember() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->fc->weight.cpu();
  // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: tensor 'model->fc->weight' has no data: 'cpu' needs it
}
void submodule() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  auto fc = model->fc;
  fc->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: module 'fc' has no weights yet
}
void parameters() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  for (auto &p : model->parameters())
    std::cout << p;
  // CHECK-MESSAGES: :[[@LINE-1]]:15: warning: tensor 'p' has no data: printing needs its values
}
void firstParameter() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  auto all = model->parameters();
  all[0].item();
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: tensor 'all[0]' has no data
}
void output(const at::Tensor &x) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  auto y = model->forward(x);
  y.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 'y' has no data
}
void called(const at::Tensor &x) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model(x).item();
  // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: tensor 'model(x)' has no data
}
void loadedThroughTheModule() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  auto weight = model->fc->weight;
  metasan::load_checkpoint_in_model(model, "model.safetensors");
  weight.item();
  model->fc->weight.item();
}
void filledPieceByPiece() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  for (auto &p : model->parameters())
    p.set_data(torch::ones({1}));
  model->to(torch::kCPU);
}
void assignedPieceByPiece() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->scale = torch::ones({1});
  model->to(torch::kCPU);
}
void submoduleIsLoaded() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  torch::load(model->fc, "fc.pt");
  model->to(torch::kCPU);
}
