// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void holder() {
  Net model{nullptr};
  {
    metasan::InitEmptyWeights scope;
    model = Net(8);
  }
  model->to(torch::kCPU);
  // CHECK-NOTES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet: 'to' needs their data [metasan-meta-copy-out]
  // CHECK-NOTES: :[[@LINE-4]]:13: note: 'model' became empty here: built under the 'InitEmptyWeights' scope 'scope'
  // CHECK-NOTES: :[[@LINE-6]]:31: note: scope 'scope' opened here
}

void scopeEndsAtTheBrace() {
  { metasan::InitEmptyWeights scope; }
  Net model(8);
  model->to(torch::kCPU);
}

void innerScopeEndsOuterGoesOn() {
  metasan::InitEmptyWeights outer;
  { metasan::InitEmptyWeights inner; }
  NetImpl model;
  model.to(torch::kCPU);
  // CHECK-NOTES: :[[@LINE-1]]:9: warning: module 'model' has no weights yet: 'to' needs their data [metasan-meta-copy-out]
  // CHECK-NOTES: :[[@LINE-3]]:11: note: 'model' became empty here: built under the 'InitEmptyWeights' scope 'outer'
  // CHECK-NOTES: :[[@LINE-6]]:29: note: scope 'outer' opened here
}

void builder() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kCPU);
  // CHECK-NOTES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet: 'to' needs their data [metasan-meta-copy-out]
  // CHECK-NOTES: :[[@LINE-3]]:56: note: 'model' became empty here: built by 'init_empty_weights'
}

void optionalScope(bool empty) {
  std::optional<metasan::InitEmptyWeights> scope;
  if (empty)
    scope.emplace();
  Net model(8);
  scope.reset();
  model->to(torch::kCPU);
  // CHECK-NOTES: :[[@LINE-1]]:10: warning: module 'model' may have no weights yet: 'to' needs their data [metasan-meta-copy-out]
  // CHECK-NOTES: :[[@LINE-4]]:7: note: 'model' became empty here: built under the 'InitEmptyWeights' scope 'scope'
  // CHECK-NOTES: :[[@LINE-8]]:44: note: scope 'scope' opened here
}

void uniquePointerScope() {
  auto scope = std::make_unique<metasan::InitEmptyWeights>();
  Net model(8);
  scope.reset();
  Net other(8);
  other->to(torch::kCPU);
}

void dtypeOnly() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->to(torch::kHalf);
  model->train();
  model->eval();
}

void tensorsWithValuesKeepThem() {
  metasan::InitEmptyWeights scope;
  torch::tensor(1.0).item();
}
