// RUN: %check_clang_tidy %s metasan-* %t --no-fixes -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

// Under a named scope what follows would be wrong in another way.
void loads(const std::string &file) {
  metasan::InitEmptyWeights{};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this 'InitEmptyWeights' object has no name
  // CHECK-ADVICE: :[[@LINE-2]]:3: note: name it, in a block that ends before the weights are needed: '{ metasan::InitEmptyWeights scope; ... }'
  Net model(8);
  metasan::load_checkpoint_in_model(model, file);
}
void computes() {
  metasan::InitEmptyWeights{};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this 'InitEmptyWeights' object has no name
  // CHECK-ADVICE: :[[@LINE-2]]:3: note: name it, in a block
  Net model(8);
  model(torch::ones({2, 8}));
}
void train(Net model);
void handsOn() {
  metasan::InitEmptyWeights{};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this 'InitEmptyWeights' object has no name
  // CHECK-ADVICE: :[[@LINE-2]]:3: note: name it, in a block
  Net model(8);
  train(model);
}
struct Trainer {
  Trainer(Net model);
};
void handsOnToAnObject() {
  metasan::InitEmptyWeights{};
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this 'InitEmptyWeights' object has no name
  // CHECK-ADVICE: :[[@LINE-2]]:3: note: name it, in a block
  Net model(8);
  Trainer trainer(model);
}
Net nothingFollows() {
  Net model(8);
  {
    model = Net(16);
    metasan::InitEmptyWeights{};
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this 'InitEmptyWeights' object has no name
    // CHECK-ADVICE: :[[@LINE-2]]:5: note: name it, in a block
  }
  return model;
}
Net noBlock(bool c) {
  if (c)
    metasan::InitEmptyWeights{};
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: this 'InitEmptyWeights' object has no name
  // CHECK-ADVICE: :[[@LINE-2]]:5: note: name it, in a block
  return Net(8);
}
#define EMPTY metasan::InitEmptyWeights {}
Net inMacro() {
  EMPTY;
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: this 'InitEmptyWeights' object has no name
  // CHECK-ADVICE: :[[@LINE-2]]:3: note: name it, in a block
  return Net(8);
}
