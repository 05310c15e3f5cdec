// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <metasan/annotations.h>
#include <net.h>

METASAN_RETURNS_META torch::Tensor placeholder();
METASAN_RETURNS_MATERIALIZED torch::Tensor fetch(const torch::Tensor &like);
METASAN_RETURNS_UNINITIALIZED torch::Tensor scratch();
void upload(METASAN_REQUIRES_MATERIALIZED const torch::Tensor &t);
void restore(METASAN_MATERIALIZES const Net &model);
void place(METASAN_DISPATCHES const Net &model);
void drop(METASAN_LEAVES_META torch::Tensor t);
struct Store {
  METASAN_MATERIALIZES void load();
  METASAN_REQUIRES_MATERIALIZED void serve();
};

void results() {
  auto t = placeholder();
  t.item();
  // CHECK-NOTES: :[[@LINE-1]]:5: warning: tensor 't' has no data: 'item' needs its values [metasan-meta-data-dependent]
  // CHECK-NOTES: :[[@LINE-3]]:12: note: 't' became empty here: as an annotation or the model file says
  fetch(t).item();
  scratch().item();
  // CHECK-NOTES: :[[@LINE-1]]:13: warning: tensor 'scratch()' was never written: 'item' reads whatever was in memory [metasan-uninitialized-read]
  // CHECK-NOTES: :[[@LINE-2]]:3: note: 'scratch()' was allocated here, without values
}
void arguments() {
  auto t = placeholder();
  upload(t);
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: tensor 't' has no data: 'upload' needs its values [metasan-meta-data-dependent]
  // CHECK-NOTES: :[[@LINE-3]]:12: note: 't' became empty here: as an annotation or the model file says
  auto real = torch::ones({1});
  upload(real);
  drop(real);
  real.cpu();
  // CHECK-NOTES: :[[@LINE-1]]:8: warning: tensor 'real' has no data: 'cpu' needs it [metasan-meta-copy-out]
  // CHECK-NOTES: :[[@LINE-3]]:3: note: 'real' became empty here: as an annotation or the model file says
}
void modules() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  place(model);
  // CHECK-NOTES: :[[@LINE-1]]:3: warning: module 'model' has no weights yet: 'place' only places weights that are loaded [metasan-dispatch-without-weights]
  // CHECK-NOTES: :[[@LINE-3]]:56: note: 'model' became empty here: built by 'init_empty_weights'
  auto loaded = metasan::init_empty_weights([] { return Net(8); });
  restore(loaded);
  loaded->fc->weight.item();
  place(loaded);
  loaded->to(torch::kCPU);
  // CHECK-NOTES: :[[@LINE-1]]:11: warning: module 'loaded' is dispatched: 'to' would undo where its device map put it [metasan-move-after-dispatch]
  // CHECK-NOTES: :[[@LINE-3]]:3: note: it was put on its devices here
}
