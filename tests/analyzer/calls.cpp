// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

torch::Tensor make() { return torch::empty({2}, torch::kMeta); }
float read(const torch::Tensor &t) { return t.item<float>(); }
float outer(const torch::Tensor &x) { return read(x); }
void down(bool c) {
  outer(make());
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: tensor 'make()' has no data: 'item' in 'outer' needs its values [metasan-meta-data-dependent]
  // CHECK-NOTES: :[[@LINE-4]]:46: note: which calls 'read' here
  // CHECK-NOTES: :[[@LINE-6]]:47: note: the data of 't' are needed here
  // CHECK-NOTES: :[[@LINE-8]]:31: note: it became empty here: created on the meta device
  // CHECK-NOTES: :[[@LINE-5]]:9: note: 'make' is called here
  auto m = make();
  if (c)
    m = torch::ones({1});
  read(m);
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: tensor 'm' may have no data: 'item' in 'read' needs its values [metasan-meta-data-dependent]
  // CHECK-NOTES: :[[@LINE-14]]:47: note: the data of 't' are needed here
  // CHECK-NOTES: :[[@LINE-16]]:31: note: it became empty here: created on the meta device
  // CHECK-NOTES: :[[@LINE-7]]:12: note: 'make' is called here
}
// What a callee guards against it does not need.
float readIfThere(const torch::Tensor &t) { return t.is_meta() ? 0 : t.item<float>(); }
bool isThere(const torch::Tensor &t) { return !t.is_meta(); }
void check(const torch::Tensor &t) { TORCH_CHECK(!t.is_meta()); }
void guarded() {
  auto t = make();
  readIfThere(t);
  if (isThere(t))
    t.item();
  check(t);
  t.item();
}
bool load(Net &model) {
  if (model->parameters().size() == 0)
    return false;
  metasan::load_checkpoint_in_model(model, "w");
  return true;
}
void answers() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  if (!load(model))
    return;
  model->to(torch::kCPU);
}
void answerIgnored() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  load(model);
  model->to(torch::kCPU);
  // CHECK-NOTES: :[[@LINE-1]]:10: warning: module 'model' may have no weights yet: 'to' needs their data [metasan-meta-copy-out]
  // CHECK-NOTES: :[[@LINE-4]]:56: note: 'model' became empty here: built by 'init_empty_weights'
  // CHECK-NOTES: :[[@LINE-4]]:3: note: it gets data here, but not on every path
}
float countDown(const torch::Tensor &t, int n) { return n ? countDown(t, n - 1) : t.item<float>(); }
torch::Tensor grow(int n) { return n ? grow(n - 1) : make(); }
void recursion() {
  countDown(make(), 3);
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: tensor 'make()' has no data: 'item' in 'countDown' needs its values [metasan-meta-data-dependent]
  // CHECK-NOTES: :[[@LINE-5]]:61: note: which calls 'countDown' here
  // CHECK-NOTES: :[[@LINE-6]]:85: note: the data of 't' are needed here
  // CHECK-NOTES: :[[@LINE-58]]:31: note: it became empty here: created on the meta device
  // CHECK-NOTES: :[[@LINE-5]]:13: note: 'make' is called here
  auto grown = grow(3);
  grown.item();
  // CHECK-NOTES: :[[@LINE-1]]:9: warning: tensor 'grown' has no data: 'item' needs its values [metasan-meta-data-dependent]
  // CHECK-NOTES: :[[@LINE-63]]:31: note: it became empty here: created on the meta device
  // CHECK-NOTES: :[[@LINE-4]]:16: note: 'grow' is called here
}
struct Reader {
  virtual void look(const torch::Tensor &t) = 0;
};
struct Eager : Reader {
  void look(const torch::Tensor &t) override { t.item(); }
};
struct Lazy : Reader {
  void look(const torch::Tensor &t) override { t.dim(); }
};
void overriders(Reader &reader) {
  auto t = make();
  reader.look(t);
  // CHECK-NOTES: :[[@LINE-1]]:10: warning: tensor 't' may have no data: 'item' in 'look' needs its values [metasan-meta-data-dependent]
  // CHECK-NOTES: :[[@LINE-9]]:50: note: the data of 't' are needed here
  // CHECK-NOTES: :[[@LINE-80]]:31: note: it became empty here: created on the meta device
  // CHECK-NOTES: :[[@LINE-5]]:12: note: 'make' is called here
}
struct Cache {
  torch::Tensor w;
  Cache() : w(make()) {}
  void fill() { w = torch::ones({1}); }
  float read() const { return w.item<float>(); }
};
void members() {
  Cache filled;
  filled.fill();
  filled.read();
  auto empty = std::make_unique<Cache>();
  empty->read();
  // CHECK-NOTES: :[[@LINE-1]]:10: warning: tensor 'w' of 'empty' has no data: 'item' in 'read' needs its values [metasan-meta-data-dependent]
  // CHECK-NOTES: :[[@LINE-9]]:33: note: the data of 'w' are needed here
  // CHECK-NOTES: :[[@LINE-97]]:31: note: it became empty here: created on the meta device
  // CHECK-NOTES: :[[@LINE-5]]:16: note: what it belongs to is made here
}
