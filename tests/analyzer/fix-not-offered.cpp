// No edit where the result would not compile, or would not be right on every path: advice in a note.
// RUN: %check_clang_tidy %s metasan-* %t --no-fixes -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void castsToo(const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU, torch::kHalf);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-ADVICE: :[[@LINE-2]]:10: note: load the weights and place them in one step: 'metasan::load_checkpoint_and_dispatch(model, checkpoint, torch::kCPU, {.dtype = torch::kHalf})'
}
void maybe(const std::string &checkpoint, bool c) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  if (c)
    metasan::load_checkpoint_in_model(model, checkpoint);
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' may have no weights yet
  // CHECK-ADVICE: :[[@LINE-2]]:10: note: load the weights and place them in one step: 'metasan::load_checkpoint_and_dispatch(model, checkpoint, torch::kCPU)'
}
#define MOVE(m) m->to(torch::kCPU)
void inMacro(const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  MOVE(model);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{[0-9]+}}: warning: module 'model' has no weights yet
}
template <class T> void inTemplate(const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return T(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-ADVICE: :[[@LINE-2]]:10: note: load the weights and place them
}
template void inTemplate<Net>(const std::string &);
void notAStatement(const std::string &checkpoint, bool c) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  c ? model->to(torch::kCPU) : void();
  // CHECK-MESSAGES: :[[@LINE-1]]:14: warning: module 'model' has no weights yet
  // CHECK-ADVICE: :[[@LINE-2]]:14: note: load the weights and place them
}
void noCheckpoint(torch::Device device) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(device);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-ADVICE: :[[@LINE-2]]:10: note: load the weights and place them in one step: 'metasan::load_checkpoint_and_dispatch(model, <checkpoint>, device)'
}

// The mistake is in what the call does.
void place(Net m) { m->to(torch::kCPU); }
struct Placer {
  void place(Net m) { metasan::dispatch_model(m, torch::kCPU); }
  void placeAgain(Net m) { m->to(torch::kCUDA); }
};
void inACallee(const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  place(model);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: module 'model' has no weights yet
  // CHECK-ADVICE: :[[@LINE-2]]:3: note: load the weights before this call: 'metasan::load_checkpoint_in_model(model, checkpoint)'
}
void inAMethod(Placer placer, const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  placer.place(model);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-ADVICE: :[[@LINE-2]]:10: note: load the weights before this call: 'metasan::load_checkpoint_in_model(model, checkpoint)'
}
void dispatchedBefore(Placer placer, const metasan::DeviceMap &map) {
  Net model(8);
  metasan::dispatch_model(model, map);
  placer.placeAgain(model);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' is dispatched
  // CHECK-ADVICE: :[[@LINE-2]]:10: note: make this call before the module is dispatched, or leave the move out of it
}

// A load under the scope would be a mistake of its own.
void underAScope(const std::string &checkpoint) {
  metasan::InitEmptyWeights scope;
  Net model(8);
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-ADVICE: :[[@LINE-2]]:10: note: end the 'InitEmptyWeights' scope, then load the weights and place them in one step: 'metasan::load_checkpoint_and_dispatch(model, checkpoint, torch::kCPU)'
}
void dispatchUnderAScope(const std::string &checkpoint) {
  metasan::InitEmptyWeights scope;
  Net model(8);
  metasan::dispatch_model(model, torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: module 'model' has no weights yet
  // CHECK-ADVICE: :[[@LINE-2]]:3: note: end the 'InitEmptyWeights' scope, then load the weights and place them in one step
}
void laterLoadUnderAScope(const std::string &checkpoint) {
  metasan::InitEmptyWeights scope;
  Net model(8);
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-ADVICE: :[[@LINE-2]]:10: note: end the 'InitEmptyWeights' scope
  metasan::load_checkpoint_in_model(model, checkpoint);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: module 'model' is loaded while an 'InitEmptyWeights' scope is open
}

// A checkpoint of the module is none of its part.
void partOfAModule(const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->fc->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:14: warning: module 'model->fc' has no weights yet
  // CHECK-ADVICE: :[[@LINE-2]]:14: note: load the weights and place them in one step: 'metasan::load_checkpoint_and_dispatch(model, checkpoint, torch::kCPU)'
}
// What a method of the user's does beyond the move is not known.
struct CarefulImpl : NetImpl {
  void to(torch::Device device, bool non_blocking = false) override;
};
TORCH_MODULE(Careful);
void overridden(const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Careful(); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-ADVICE: :[[@LINE-2]]:10: note: load the weights and place them
}
// torch::load reads what MetaSan's load does not.
void nativeLoadFollows(const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-ADVICE: :[[@LINE-2]]:10: note: call 'torch::load' first: it gives the module its weights
  torch::load(model, checkpoint);
}
// Tensors that such a load leaves out would keep what was in memory.
void lenientLoadFollows(const std::string &checkpoint, const metasan::LoadOptions &lenient) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-ADVICE: :[[@LINE-2]]:10: note: load the weights and place them
  metasan::load_checkpoint_in_model(model, checkpoint, lenient);
}
void otherDeviceFollows(const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-ADVICE: :[[@LINE-2]]:10: note: load the weights and place them
  metasan::load_checkpoint_and_dispatch(model, checkpoint, torch::kCUDA);
}

// The move says something that the dispatch does not.
torch::Device pick();
Net find();
void otherDevice(const std::string &checkpoint) {
  Net model(8);
  metasan::load_checkpoint_and_dispatch(model, checkpoint, torch::kCPU);
  model->to(torch::kCUDA);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' is dispatched
  // CHECK-ADVICE: :[[@LINE-2]]:10: note: leave this call out, or name the device when the module is dispatched
}
void withAnEffect(const metasan::DeviceMap &map) {
  Net model(8);
  metasan::dispatch_model(model, map);
  model->to(pick());
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' is dispatched
  // CHECK-ADVICE: :[[@LINE-2]]:10: note: leave this call out, or name the device
}
void notABlock(const metasan::DeviceMap &map, bool c) {
  Net model(8);
  metasan::dispatch_model(model, map);
  if (c)
    model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:12: warning: module 'model' is dispatched
  // CHECK-ADVICE: :[[@LINE-2]]:12: note: leave this call out, or name the device
}
void maybeDispatched(const metasan::DeviceMap &map, bool c) {
  Net model(8);
  if (c)
    metasan::dispatch_model(model, map);
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' may be dispatched
  // CHECK-ADVICE: :[[@LINE-2]]:10: note: leave this call out, or name the device
}
// An earlier mistake has advice only: without it, there is nothing to build on.
void afterAnotherMistake(const std::string &weights_key, torch::Tensor input) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  metasan::dispatch_model(model, torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: module 'model' has no weights yet
  // CHECK-ADVICE: :[[@LINE-2]]:3: note: load the weights and place them in one step: 'metasan::load_checkpoint_and_dispatch(model, <checkpoint>, torch::kCPU)'
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
}
