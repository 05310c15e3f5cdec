// RUN: %check_clang_tidy %s metasan-* %t --recheck -- %mock_flags
#include <metasan/empty_init.h>
#include <metasan/load.h>
#include <net.h>
// CHECK-FIXES: {{^}}#include <metasan/load.h>{{$}}
// CHECK-FIXES-NEXT: {{^}}#include <metasan/to_empty.h>{{$}}
// CHECK-FIXES-NEXT: {{^}}#include <net.h>{{$}}

struct Sgd {
  Sgd(std::vector<torch::Tensor> parameters, double rate);
};

void loadFollows(const std::string &file, torch::Device device) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(device);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet: 'to' needs their data [metasan-meta-copy-out]
  // CHECK-FIXES: {{^}}  metasan::to_empty(model, device);{{$}}
  metasan::load_checkpoint_in_model(model, file);
}
void nothingBetweenNeedsTheWeights(const std::string &file) {
  auto model = metasan::init_empty_weights([] { return std::make_unique<NetImpl>(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::to_empty(*model, torch::kCPU);{{$}}
  model->eval();
  auto input = torch::ones({2, 8});
  Sgd optimizer(model->parameters(), 0.1);
  auto report = metasan::load_checkpoint_in_model(*model, file);
  model->forward(input);
}
// The handles differ, the module does not.
void throughAnotherHandle(const std::string &file) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::Device("cuda:0"));
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::to_empty(model, torch::Device("cuda:0"));{{$}}
  metasan::load_checkpoint_in_model(model.ptr(), file);
}
struct Runner {
  Net model{nullptr};
  torch::Device device = torch::kCPU;
  void run(const std::string &file) {
    model = metasan::init_empty_weights([] { return Net(8); });
    model->to(device);
    // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: module 'model' has no weights yet
    // CHECK-FIXES: {{^}}    metasan::to_empty(model, device);{{$}}
    metasan::load_checkpoint_in_model(model, file);
  }
};
// The load places the module: the move has nothing left to do.
void loadThatPlaces(const std::string &file, torch::Device device) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(device);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  metasan::load_checkpoint_and_dispatch(model, file, device);
}
// CHECK-FIXES: void loadThatPlaces
// CHECK-FIXES-NEXT: {{^}}  auto model
// CHECK-FIXES-NEXT: {{^}}  //{{$}}
// CHECK-FIXES-NEXT: {{^}}  metasan::load_checkpoint_and_dispatch(model, file, device);{{$}}
// Not for certain, or not of this module: loaded here and now.
void maybeLater(const std::string &file, bool c) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, file, torch::kCPU);{{$}}
  if (c)
    metasan::load_checkpoint_in_model(model, file);
}
void usedBefore(const std::string &file) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  auto weight = model->fc->weight;
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, file, torch::kCPU);{{$}}
  weight.sum();
  metasan::load_checkpoint_in_model(model, file);
}
void anotherModule(const std::string &file, const std::string &weights) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  Net other(8);
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, weights, torch::kCPU);{{$}}
  metasan::load_checkpoint_in_model(other, file);
}
