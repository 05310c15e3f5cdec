// RUN: %check_clang_tidy %s metasan-* %t --recheck -- %mock_flags
#include <metasan/empty_init.h>
#include <net.h>
// CHECK-FIXES: {{^}}#include <metasan/load.h>{{$}}

using metasan::init_empty_weights;

void holder(const std::string &weights) {
  auto model = init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, weights, torch::kCPU);{{$}}
}
void rawPointer(const char *ckpt_file, torch::Device device) {
  auto model = init_empty_weights([] { return Net(8); });
  NetImpl *raw = model.get();
  raw->to(device);
  // CHECK-MESSAGES: :[[@LINE-1]]:8: warning: module 'raw' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(*raw, ckpt_file, device);{{$}}
}
void uniquePointer(const std::string &checkpoint) {
  std::unique_ptr<NetImpl> model;
  {
    metasan::InitEmptyWeights scope;
    model = std::make_unique<NetImpl>(8);
  }
  model->to("cuda:0");
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(*model, checkpoint, torch::Device("cuda:0"));{{$}}
}
void reference(const std::string &checkpoint) {
  auto model = init_empty_weights([] { return Net(8); });
  NetImpl &net = *model;
  net.to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: module 'net' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(net, checkpoint, torch::kCPU);{{$}}
}
void explicitDereference(const std::string &checkpoint) {
  auto model = init_empty_weights([] { return Net(8); });
  (*model).to({torch::kCUDA, 0});
  // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(*model, checkpoint, torch::Device{torch::kCUDA, 0});{{$}}
}
void sharedPointer(const std::string &checkpoint, bool quick) {
  auto model = init_empty_weights([] { return std::make_shared<NetImpl>(8); });
  if (quick) {
    model->to(torch::kCPU);
    // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: module 'model' has no weights yet
    // CHECK-FIXES: {{^}}    metasan::load_checkpoint_and_dispatch(model, checkpoint, torch::kCPU);{{$}}
  }
}
void inALambda(const std::string &checkpoint) {
  auto model = init_empty_weights([] { return Net(8); });
  auto place = [&] {
    model->to(torch::kCPU);
    // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: module 'model' has no weights yet
    // CHECK-FIXES: {{^}}    metasan::load_checkpoint_and_dispatch(model, checkpoint, torch::kCPU);{{$}}
  };
  place();
}
struct Runner {
  Net model{nullptr};
  void run(const std::string &checkpoint) {
    model = init_empty_weights([] { return Net(8); });
    this->model->to(torch::kCPU);
    // CHECK-MESSAGES: :[[@LINE-1]]:18: warning: module 'this->model' has no weights yet
    // CHECK-FIXES: {{^}}    metasan::load_checkpoint_and_dispatch(this->model, checkpoint, torch::kCPU);{{$}}
  }
};
