// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

void unnamed(bool c) {
  metasan::InitEmptyWeights{};
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: this 'InitEmptyWeights' object has no name and ends here: what is built after it is not empty [metasan-scope-misuse]
  if (c)
    metasan::InitEmptyWeights();
  // CHECK-NOTES: :[[@LINE-1]]:5: warning: this 'InitEmptyWeights' object has no name and ends here: what is built after it is not empty [metasan-scope-misuse]
}
void loadedInside() {
  metasan::InitEmptyWeights scope;
  Net model(8);
  metasan::load_checkpoint_in_model(model, "w");
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: module 'model' is loaded while an 'InitEmptyWeights' scope is open: end the scope before the load [metasan-scope-misuse]
  // CHECK-NOTES: :[[@LINE-4]]:29: note: scope 'scope' opened here
}
void readInside() {
  metasan::InitEmptyWeights scope;
  torch::rand({1}).item();
  // CHECK-NOTES: :[[@LINE-1]]:20: warning: tensor 'torch::rand({1})' is read by 'item' while an 'InitEmptyWeights' scope is open: its values are not known before they are loaded [metasan-scope-misuse]
  // CHECK-NOTES: :[[@LINE-3]]:29: note: scope 'scope' opened here
  Net(8)->fc->weight.item();
  // CHECK-NOTES: :[[@LINE-1]]:22: warning: tensor 'Net(8)->fc->weight' is read by 'item' while an 'InitEmptyWeights' scope is open: its values are not known before they are loaded [metasan-scope-misuse]
  // CHECK-NOTES: :[[@LINE-6]]:29: note: scope 'scope' opened here
}
// Recorded, and so known.
void replayed() {
  metasan::InitEmptyWeights scope;
  torch::linspace(0, 1, 3)[1].item();
  torch::ones({1}).mul(torch::tensor(2)).item();
}
const torch::Tensor &table() {
  static const torch::Tensor values = torch::ones({3});
  return values;
}
void firstReachedInside() {
  metasan::InitEmptyWeights scope;
  table();
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: the static 'values' is first made while an 'InitEmptyWeights' scope is open: it stays empty for the whole program [metasan-scope-misuse]
  // CHECK-NOTES: :[[@LINE-7]]:39: note: 'values' is made here, once for all calls
  // CHECK-NOTES: :[[@LINE-4]]:29: note: scope 'scope' opened here
}
void reachedBefore() {
  table();
  metasan::InitEmptyWeights scope;
  table();
}
struct Block : torch::nn::Module {
  Block(bool eager) {
    if (eager)
      metasan::load_checkpoint_in_model(*this, "block.safetensors");
  }
};
void constructed() {
  metasan::InitEmptyWeights scope;
  Block lazy(false);
  Block eager(true);
  // CHECK-NOTES: :[[@LINE-1]]:9: warning: a module is loaded while an 'InitEmptyWeights' scope is open: end the scope before the load [metasan-scope-misuse]
  // CHECK-NOTES: :[[@LINE-8]]:7: note: the weights are loaded here
  // CHECK-NOTES: :[[@LINE-5]]:29: note: scope 'scope' opened here
}
std::unique_ptr<metasan::InitEmptyWeights> open() {
  return std::make_unique<metasan::InitEmptyWeights>();
}
void openedElsewhere() {
  auto scope = open();
  Net model(8);
  scope.reset();
  metasan::load_checkpoint_in_model(model, "w");
  model->to(torch::kCPU);
}
