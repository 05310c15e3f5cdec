// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void dispatched(const metasan::DeviceMap &map) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  metasan::dispatch_model(model, map);
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: module 'model' has no weights yet: 'dispatch_model' only places weights that are loaded [metasan-dispatch-without-weights]
  // CHECK-NOTES: :[[@LINE-3]]:56: note: 'model' became empty here: built by 'init_empty_weights'
}

void ordinary() {
  Net model(8);
  metasan::dispatch_model(model, torch::kCPU);
}
