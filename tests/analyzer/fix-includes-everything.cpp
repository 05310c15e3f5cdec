// metasan/metasan.h has every header.
// RUN: %check_clang_tidy %s metasan-* %t --recheck -- %mock_flags
#include "metasan/metasan.h"
#include <net.h>
// CHECK-FIXES: {{^}}#include "metasan/metasan.h"{{$}}
// CHECK-FIXES-NEXT: {{^}}#include <net.h>{{$}}
// CHECK-FIXES-NOT: #include

void laterLoad(const std::string &file, const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  auto second = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::to_empty(model, torch::kCPU);{{$}}
  metasan::load_checkpoint_in_model(model, file);
  second->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:11: warning: module 'second' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(second, checkpoint, torch::kCPU);{{$}}
}
