// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

// No edit where the result would not compile, or would not be right on every path.
void castsToo(const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU, torch::kHalf);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
}
void maybe(const std::string &checkpoint, bool c) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  if (c)
    metasan::load_checkpoint_in_model(model, checkpoint);
  model->to(torch::kCPU);
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' may have no weights yet
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
}
template void inTemplate<Net>(const std::string &);
void notAStatement(const std::string &checkpoint, bool c) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  c ? model->to(torch::kCPU) : void();
  // CHECK-MESSAGES: :[[@LINE-1]]:14: warning: module 'model' has no weights yet
}
