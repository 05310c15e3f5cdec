// Two headers are missing: both are added, in their places, with the first fix of the file.
// RUN: %check_clang_tidy %s metasan-* %t --recheck -- %mock_flags
#include "metasan/empty_init.h"
#include <net.h>
// CHECK-FIXES: {{^}}#include "metasan/empty_init.h"{{$}}
// CHECK-FIXES-NEXT: {{^}}#include <metasan/load.h>{{$}}
// CHECK-FIXES-NEXT: {{^}}#include <metasan/to_empty.h>{{$}}
// CHECK-FIXES-NEXT: {{^}}#include <net.h>{{$}}
// CHECK-FIXES-NOT: #include

void laterLoad(const std::string &file) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::to_empty(model, torch::kCPU);{{$}}
  metasan::load_checkpoint_in_model(model, file);
}
void noLoad(const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, checkpoint, torch::kCPU);{{$}}
}
void again(const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, checkpoint, torch::kCPU);{{$}}
}
