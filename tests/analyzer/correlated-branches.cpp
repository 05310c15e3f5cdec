// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

enum class Mode { Empty, Full };

void sameFlag(bool c) {
  auto t = torch::ones({1});
  if (c)
    t = torch::empty({1}, torch::kMeta);
  if (!c)
    t.item();
}
void sameFlagWrongWay(bool c) {
  auto t = torch::ones({1});
  if (c)
    t = torch::empty({1}, torch::kMeta);
  if (c)
    t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 't' has no data
}
void uncorrelated(bool c, bool d) {
  auto t = torch::ones({1});
  if (c)
    t = torch::empty({1}, torch::kMeta);
  if (!d)
    t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 't' may have no data
}
void flagChangesBetween(bool c) {
  auto t = torch::ones({1});
  if (c)
    t = torch::empty({1}, torch::kMeta);
  c = !c;
  if (!c)
    t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 't' has no data
}
bool flag();
void flagIsSetAnew(bool c) {
  auto t = torch::ones({1});
  if (c)
    t = torch::empty({1}, torch::kMeta);
  c = flag();
  if (!c)
    t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:7: warning: tensor 't' may have no data
}
void comparedWithConstants(Mode mode) {
  auto t = torch::ones({1});
  if (mode == Mode::Empty)
    t = torch::empty({1}, torch::kMeta);
  if (mode == Mode::Full)
    t.item();
  if (mode != Mode::Empty)
    t.item();
}
void switches(int mode) {
  auto t = torch::ones({1});
  switch (mode) {
  case 0:
    t = torch::empty({1}, torch::kMeta);
    break;
  default:
    break;
  }
  switch (mode) {
  case 1:
    t.item();
    break;
  default:
    break;
  }
}
void loadedUnderTheSameFlag(bool lazy) {
  Net model{nullptr};
  if (lazy)
    model = metasan::init_empty_weights([] { return Net(8); });
  else
    model = Net(8);
  if (lazy)
    metasan::load_checkpoint_in_model(model, "weights.safetensors");
  model->to(torch::kCPU);
}
void pointerGiven(const std::string *path) {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  if (path != nullptr)
    metasan::load_checkpoint_in_model(model, *path);
  if (path)
    model->to(torch::kCPU);
}
struct Options {
  bool lazy;
};
void field(const Options &options) {
  auto t = torch::ones({1});
  if (options.lazy)
    t = torch::empty({1}, torch::kMeta);
  if (!options.lazy)
    t.item();
}
void oneSwitchAlone(int mode) {
  auto t = torch::empty({1}, torch::kMeta);
  while (flag())
    switch (mode) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      t = torch::ones({1});
      break;
    }
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' may have no data
}
