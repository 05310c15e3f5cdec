// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void readByAnotherLoad(const std::string &path) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  Net twin(8);
  metasan::load_checkpoint_in_model(twin, path);
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, path, torch::kCPU);{{$}}
}
void literal() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  Net twin(8);
  metasan::load_checkpoint_in_model(twin, "twin.safetensors");
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, "twin.safetensors", torch::kCPU);{{$}}
}
struct Runner {
  std::string checkpoint_dir;
  void run() {
    auto model = metasan::init_empty_weights([] { return Net(8); });
    model->to(torch::kCPU);
    // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: module 'model' has no weights yet
    // CHECK-FIXES: {{^}}    metasan::load_checkpoint_and_dispatch(model, checkpoint_dir, torch::kCPU);{{$}}
  }
};
void hiddenBySomethingElse(const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  int checkpoint_count = 1;
  {
    int checkpoint = 2;
    model->to(torch::kCPU);
    // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: module 'model' has no weights yet
    // CHECK-FIXES: {{^}}    model->to(torch::kCPU);{{$}}
  }
}
void declaredLater() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  model->to(torch::kCPU);{{$}}
  std::string checkpoint("later");
}
