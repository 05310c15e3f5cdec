// Every fix, with LibTorch's and MetaSan's own headers. The fixed file is clean; tests/e2e/fixes_test.cpp runs it.
// REQUIRES: torch-headers
// RUN: %check_clang_tidy %s metasan-* %t --recheck -- %torch_flags
#include <metasan/dispatch.h>
#include <metasan/empty_init.h>
#include <metasan/load.h>
#include <torch/torch.h>

#include <filesystem>
#include <memory>
#include <string>
// CHECK-FIXES: {{^}}#include <metasan/load.h>{{$}}
// CHECK-FIXES-NEXT: {{^}}#include <metasan/to_empty.h>{{$}}
// CHECK-FIXES-NEXT: {{^}}#include <torch/torch.h>{{$}}

struct NetImpl : torch::nn::Module {
  NetImpl() : fc(register_module("fc", torch::nn::Linear(2, 2))) {}
  torch::Tensor forward(const torch::Tensor &x) { return fc(x); }
  torch::nn::Linear fc;
};
TORCH_MODULE(Net);

Net emptyNet() {
  return metasan::init_empty_weights([] { return Net(); });
}

Net dispatchedBeforeTheLoad(const std::filesystem::path &checkpoint, torch::Device device) {
  Net model = emptyNet();
  metasan::dispatch_model(model, device);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: module 'model' has no weights yet: 'dispatch_model' only places weights that are loaded [metasan-dispatch-without-weights]
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, checkpoint, device);{{$}}
  model->to(device);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet: 'to' needs their data [metasan-meta-copy-out]
  return model;
}
// CHECK-FIXES-NEXT: {{^}}  //{{$}}
// CHECK-FIXES-NEXT: {{^}}  //{{$}}
// CHECK-FIXES-NEXT: {{^}}  //{{$}}
// CHECK-FIXES-NEXT: {{^}}  return model;{{$}}

Net dispatchedAndLoadedLater(const std::string &file) {
  Net model = emptyNet();
  metasan::dispatch_model(model, {{"", torch::kCPU}});
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: module 'model' has no weights yet: 'dispatch_model' only places
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, file, {{[{][{]}}"", torch::kCPU}});{{$}}
  metasan::load_checkpoint_in_model(model, file);
  return model;
}
// CHECK-FIXES-NEXT: {{^}}  //{{$}}
// CHECK-FIXES-NEXT: {{^}}  //{{$}}
// CHECK-FIXES-NEXT: {{^}}  return model;{{$}}

std::shared_ptr<NetImpl> movedInPlaceOfALoad(const std::string &weights) {
  auto model = metasan::init_empty_weights([] { return std::make_shared<NetImpl>(); });
  model->to(c10::DeviceType::CPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet: 'to' needs their data [metasan-meta-copy-out]
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, weights, c10::DeviceType::CPU);{{$}}
  return model;
}

Net movedBeforeTheLoad(const std::string &file, torch::Device device) {
  Net model = emptyNet();
  model->to(device);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet: 'to' needs their data [metasan-meta-copy-out]
  // CHECK-FIXES: {{^}}  metasan::to_empty(model, device);{{$}}
  torch::optim::SGD optimizer(model->parameters(), 0.1);
  auto report = metasan::load_checkpoint_in_model(model, file);
  TORCH_CHECK(report.loaded.size() == 2);
  return model;
}

Net movedAfterTheDispatch(const std::string &file) {
  Net model = emptyNet();
  metasan::load_checkpoint_and_dispatch(model, file);
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' is dispatched: 'to' would undo where its device map put it [metasan-move-after-dispatch]
  return model;
}
// CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, file);{{$}}
// CHECK-FIXES-NEXT: {{^}}  //{{$}}
// CHECK-FIXES-NEXT: {{^}}  return model;{{$}}

Net movedAndCastAfterTheDispatch(const std::string &file) {
  Net model = emptyNet();
  metasan::load_checkpoint_and_dispatch(model, file, torch::kCPU);
  model->to(torch::kCPU, torch::kDouble);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' is dispatched: 'to' would undo where its device map put it [metasan-move-after-dispatch]
  // CHECK-FIXES: {{^}}  model->to(torch::kDouble);{{$}}
  return model;
}

Net unnamedScope() {
  metasan::InitEmptyWeights{};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this 'InitEmptyWeights' object has no name and ends here: what is built after it is not empty [metasan-scope-misuse]
  // CHECK-FIXES: {{^}}  metasan::InitEmptyWeights scope;{{$}}
  Net model;
  model->eval();
  return model;
}
