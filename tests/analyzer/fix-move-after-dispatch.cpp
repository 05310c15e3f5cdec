// RUN: %check_clang_tidy %s metasan-* %t --recheck -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void sameDevice(const std::string &checkpoint, torch::Device device) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  metasan::load_checkpoint_and_dispatch(model, checkpoint, device);
  model->to(device); // to be sure
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' is dispatched: 'to' would undo where its device map put it
  model->eval();
}
// CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, checkpoint, device);{{$}}
// CHECK-FIXES-NEXT: {{^}}  //{{$}}
// CHECK-FIXES-NEXT: {{^}}  model->eval();{{$}}
void byDefault(const std::string &checkpoint) {
  Net model(8);
  metasan::load_checkpoint_and_dispatch(model, checkpoint);
  model->to(torch::kCPU, /*non_blocking=*/true); model->eval();
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' is dispatched
}
// CHECK-FIXES: void byDefault
// CHECK-FIXES-NEXT: Net model(8);
// CHECK-FIXES-NEXT: metasan::load_checkpoint_and_dispatch(model, checkpoint);
// CHECK-FIXES-NEXT: {{^}}  model->eval();{{$}}
void wholeMap(const metasan::DeviceMap &map) {
  Net model(8);
  metasan::dispatch_model(model, map);
  model->to(torch::kCUDA);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' is dispatched
}
// CHECK-FIXES: {{^}}  metasan::dispatch_model(model, map);{{$}}
// CHECK-FIXES-NEXT: {{^}}  //{{$}}
// CHECK-FIXES-NEXT: {{^}}}{{$}}
void castsToo(bool c) {
  Net model(8);
  metasan::dispatch_model(model, torch::kCPU);
  model->to(torch::kCPU, torch::kHalf);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' is dispatched
  // CHECK-FIXES: {{^}}  model->to(torch::kHalf);{{$}}
}
void castsAsAPart(bool c) {
  Net model(8);
  metasan::dispatch_model(model, torch::kCPU);
  c ? model->to(torch::kCPU, torch::kHalf, true) : void();
  // CHECK-MESSAGES: :[[@LINE-1]]:14: warning: module 'model' is dispatched
  // CHECK-FIXES: {{^}}  c ? model->to(torch::kHalf, true) : void();{{$}}
}
