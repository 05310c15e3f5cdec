// RUN: %check_clang_tidy %s metasan-* %t --option metasan-meta-copy-out.CheckpointPath=models/net.safetensors --recheck -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void move() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, "models/net.safetensors", torch::kCPU);{{$}}
}
