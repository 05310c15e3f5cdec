// RUN: %check_clang_tidy %s metasan-* %t --recheck -- %mock_flags
#include <metasan/dispatch.h>
#include <metasan/empty_init.h>
#include <net.h>
// CHECK-FIXES: {{^}}#include <metasan/load.h>{{$}}

void demo(const std::filesystem::path &checkpoint, torch::Device device) {
  Net model{nullptr};
  {
    metasan::InitEmptyWeights scope;
    model = Net(8);
  }
  metasan::dispatch_model(model, device);
  model->to(device); // the fix removes the whole line
}
// CHECK-MESSAGES: :[[@LINE-3]]:3: warning: module 'model' has no weights yet: 'dispatch_model' only places weights that are loaded [metasan-dispatch-without-weights]
// CHECK-MESSAGES: :[[@LINE-3]]:10: warning: module 'model' has no weights yet: 'to' needs their data [metasan-meta-copy-out]
// CHECK-FIXES: {{^}}  metasan::load_checkpoint_and_dispatch(model, checkpoint, device);{{$}}
// CHECK-FIXES-NEXT: {{^}}}{{$}}
