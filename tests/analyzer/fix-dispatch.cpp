// RUN: %check_clang_tidy %s metasan-* %t --recheck -- %mock_flags
#include <metasan/dispatch.h>
#include <metasan/empty_init.h>
#include <net.h>
// CHECK-FIXES: {{^}}#include <metasan/load.h>{{$}}

void checkpointAtHand(const std::filesystem::path &checkpoint, const metasan::DeviceMap &map) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  metasan::dispatch_model(model, map);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: module 'model' has no weights yet: 'dispatch_model' only places
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, checkpoint, map);{{$}}
}
namespace unqualified {
using metasan::dispatch_model;
void call(const std::filesystem::path &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  dispatch_model(*model, torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(*model, checkpoint, torch::kCPU);{{$}}
}
} // namespace unqualified
// The load that came too late has nothing left to do.
void loadedAfterwards(const std::string &file) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  metasan::dispatch_model(model, torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: module 'model' has no weights yet
  model->eval();
  metasan::load_checkpoint_in_model(model, file); // too late
}
// CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, file, torch::kCPU);{{$}}
// CHECK-FIXES-NEXT: {{^}}  //{{$}}
// CHECK-FIXES-NEXT: {{^}}  model->eval();{{$}}
// CHECK-FIXES-NEXT: {{^}}}{{$}}
void dispatchedAgain(const std::string &file) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  metasan::dispatch_model(model, torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: module 'model' has no weights yet
  metasan::load_checkpoint_and_dispatch(model, file, torch::kCPU);
}
// CHECK-FIXES: {{^}}  auto model = metasan::init_empty_weights([] { return Net(8); });{{$}}
// CHECK-FIXES-NEXT: {{^}}  //{{$}}
// CHECK-FIXES-NEXT: {{^}}  metasan::load_checkpoint_and_dispatch(model, file, torch::kCPU);{{$}}
// CHECK-FIXES-NEXT: {{^}}}{{$}}
