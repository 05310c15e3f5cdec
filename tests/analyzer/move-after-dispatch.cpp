// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void afterDispatch() {
  Net model(8);
  metasan::dispatch_model(model, torch::kCUDA);
  model->to(torch::kCPU);
  // CHECK-NOTES: :[[@LINE-1]]:10: warning: module 'model' is dispatched: 'to' would undo where its device map put it [metasan-move-after-dispatch]
  // CHECK-NOTES: :[[@LINE-3]]:3: note: it was put on its devices here
}
void afterLoad(bool c) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  metasan::load_checkpoint_and_dispatch(model, "model.safetensors", torch::kCUDA);
  if (c)
    model = Net(8);
  model->to(torch::kCPU);
  // CHECK-NOTES: :[[@LINE-1]]:10: warning: module 'model' may be dispatched: 'to' would undo where its device map put it [metasan-move-after-dispatch]
  // CHECK-NOTES: :[[@LINE-5]]:3: note: it was put on its devices here
}
void casts() {
  Net model(8);
  metasan::dispatch_model(model, torch::kCUDA);
  model->to(torch::kHalf);
  model->fc->weight.to(torch::kCPU);
}
void place(Net &model) { metasan::dispatch_model(model, torch::kCUDA); }
void inACallee() {
  Net model(8);
  place(model);
  model->to(torch::kCPU);
  // CHECK-NOTES: :[[@LINE-1]]:10: warning: module 'model' is dispatched: 'to' would undo where its device map put it [metasan-move-after-dispatch]
  // CHECK-NOTES: :[[@LINE-3]]:3: note: it was put on its devices here
}
