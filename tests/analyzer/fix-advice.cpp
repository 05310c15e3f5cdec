// What to do where there is no edit: the load that is missing, of the module that is meant.
// RUN: %check_clang_tidy %s metasan-* %t --no-fixes -- %mock_flags
#include <iostream>
#include <metasan/metasan.h>
#include <net.h>

void valuesOfAWeight(const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->fc->weight.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: tensor 'model->fc->weight' has no data
  // CHECK-ADVICE: :[[@LINE-2]]:21: note: load the weights first: 'metasan::load_checkpoint_in_model(model, checkpoint)'
}
void valuesOfAnAlias() {
  Net model{nullptr};
  {
    metasan::InitEmptyWeights scope;
    model = Net(8);
  }
  auto weight = model->fc->weight;
  std::cout << weight.t();
  // CHECK-MESSAGES: :[[@LINE-1]]:13: warning: tensor 'weight.t()' has no data
  // CHECK-ADVICE: :[[@LINE-2]]:13: note: load the weights first: 'metasan::load_checkpoint_in_model(model, <checkpoint>)'
}
void memory(const std::string &ckpt) {
  auto model = std::make_unique<NetImpl>(8);
  {
    metasan::InitEmptyWeights scope;
    model = std::make_unique<NetImpl>(8);
  }
  model->fc->bias.data_ptr<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:19: warning: tensor 'model->fc->bias' has no data
  // CHECK-ADVICE: :[[@LINE-2]]:19: note: load the weights first: 'metasan::load_checkpoint_in_model(*model, ckpt)'
}
void forward(const std::filesystem::path &weights_file) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->forward(torch::ones({2, 8}));
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' has no weights yet
  // CHECK-ADVICE: :[[@LINE-2]]:10: note: load the weights first: 'metasan::load_checkpoint_in_model(model, weights_file)'
}
// What is saved is not what is loaded.
void save(const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  torch::save(model, checkpoint);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: module 'model' has no weights yet
  // CHECK-ADVICE: :[[@LINE-2]]:3: note: load the weights before they are saved: 'metasan::load_checkpoint_in_model(model, <checkpoint>)'
}
void copyInto(const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  auto values = torch::ones({8});
  model->fc->bias.copy_(values);
  // CHECK-MESSAGES: :[[@LINE-1]]:19: warning: tensor 'model->fc->bias' has no memory
  // CHECK-ADVICE: :[[@LINE-2]]:19: note: let a load give it memory: 'metasan::load_checkpoint_in_model(model, checkpoint)'; or give it the tensor's own: 'model->fc->bias.set_data(values)'
}
void handWrittenLoader() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  for (auto &parameter : model->parameters())
    parameter.copy_(torch::ones({2}));
  // CHECK-MESSAGES: :[[@LINE-1]]:15: warning: tensor 'parameter' has no memory
  // CHECK-ADVICE: :[[@LINE-2]]:15: note: let a load give it memory: 'metasan::load_checkpoint_in_model(model, <checkpoint>)'; or give it the tensor's own: 'parameter.set_data(torch::ones({2}))'
}
void copyOut(torch::Device device) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  model->fc->weight.to(device);
  // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: tensor 'model->fc->weight' has no data
  // CHECK-ADVICE: :[[@LINE-2]]:21: note: load the weights first: 'metasan::load_checkpoint_in_model(model, <checkpoint>)'
}
void memoryWithoutValues(const std::string &file) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  metasan::to_empty(model, torch::kCPU);
  model->forward(torch::ones({2, 8}));
  // CHECK-MESSAGES: :[[@LINE-1]]:10: warning: module 'model' was never written
  // CHECK-ADVICE: :[[@LINE-2]]:10: note: load the weights first: 'metasan::load_checkpoint_in_model(model, file)'
  metasan::load_checkpoint_in_model(model, file);
}
void read(torch::Tensor t) { t.item(); }
void inACallee(const std::string &checkpoint) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  read(model->scale);
  // CHECK-MESSAGES: :[[@LINE-1]]:3: warning: tensor 'model->scale' has no data
  // CHECK-ADVICE: :[[@LINE-2]]:3: note: load the weights before this call: 'metasan::load_checkpoint_in_model(model, checkpoint)'
}
void weightUnderAScope(const std::string &checkpoint) {
  metasan::InitEmptyWeights scope;
  Net model(8);
  model->fc->weight.data_ptr<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:21: warning: tensor 'model->fc->weight' has no data
  // CHECK-ADVICE: :[[@LINE-2]]:21: note: end the 'InitEmptyWeights' scope, then load the weights: 'metasan::load_checkpoint_in_model(model, checkpoint)'
}
struct Trainer {
  Net model{nullptr};
  std::string checkpoint;
  void run() {
    model = metasan::init_empty_weights([] { return Net(8); });
    this->model->scale.item();
    // CHECK-MESSAGES: :[[@LINE-1]]:24: warning: tensor 'this->model->scale' has no data
    // CHECK-ADVICE: :[[@LINE-2]]:24: note: load the weights first: 'metasan::load_checkpoint_in_model(this->model, checkpoint)'
  }
};

// Tensors that no checkpoint has.
void createdOnMeta(const std::string &checkpoint) {
  auto t = torch::empty({2}, torch::kMeta);
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
  // CHECK-ADVICE: :[[@LINE-2]]:5: note: create it on a device that holds data, such as 'torch::kCPU'
}
void copiedFromMeta(torch::Device device) {
  auto t = torch::empty({2}, torch::kMeta);
  auto u = torch::empty({2}, torch::kMeta);
  t.to(device);
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
  // CHECK-ADVICE: :[[@LINE-2]]:5: note: for memory of its shape there: 'torch::empty_like(t, device)'
  u.cuda();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 'u' has no data
  // CHECK-ADVICE: :[[@LINE-2]]:5: note: for memory of its shape there: 'torch::empty_like(u, torch::kCUDA)'
}
void movedToMeta(torch::Tensor t) {
  auto shape = t.to(torch::kMeta);
  shape.nonzero();
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: tensor 'shape' has no data
  // CHECK-ADVICE: :[[@LINE-2]]:9: note: use the tensor that was moved to the meta device: it has the data
}
void madeUnderTheScope() {
  torch::Tensor input;
  Net model{nullptr};
  {
    metasan::InitEmptyWeights scope;
    model = Net(8);
    input = torch::rand({2, 8});
  }
  input.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:9: warning: tensor 'input' has no data
  // CHECK-ADVICE: :[[@LINE-2]]:9: note: create it where no 'InitEmptyWeights' scope is open
}
void allocated() {
  auto t = torch::empty({2});
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' was never written
  // CHECK-ADVICE: :[[@LINE-2]]:5: note: write all of it first, or create it with 'torch::zeros'
}
void writtenOnMeta() {
  auto t = torch::empty({2}, torch::kMeta);
  t.copy_(torch::ones({2}));
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no memory
  // CHECK-ADVICE: :[[@LINE-2]]:5: note: create it on a device that holds data, such as 'torch::kCPU'
}
// A condition says that it is empty: nothing is known of where it comes from.
void guarded(torch::Tensor t) {
  if (t.is_meta())
    t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 't' has no data
}
