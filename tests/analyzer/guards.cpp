// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <metasan/metasan.h>
#include <net.h>

at::Tensor unknown();

void isMeta() {
  auto t = torch::empty({1}, torch::kMeta);
  if (!t.is_meta())
    t.item();
}
void earlyReturn() {
  auto t = unknown();
  if (t.is_meta())
    return;
  t.item();
}
void wrongWayRound() {
  auto t = unknown();
  if (t.is_meta())
    t.item();
  // CHECK-NOTES: :[[@LINE-1]]:7: warning: tensor 't' has no data: 'item' needs its values [metasan-meta-data-dependent]
  // CHECK-NOTES: :[[@LINE-3]]:7: note: 't' is known to be empty here: this condition says so
}
void knowledgeEndsWithTheBranch(const at::Tensor &t) {
  if (t.is_meta())
    std::cout << at::Tensor();
  t.item();
}
void deviceIsMeta() {
  auto t = torch::empty({1}, torch::kMeta);
  if (!t.device().is_meta())
    t.item();
}
void deviceEquals() {
  auto t = torch::empty({1}, torch::kMeta);
  if (t.device() != torch::kMeta)
    t.item();
  if (t.device() == torch::Device(torch::kCPU))
    t.item();
}
void deviceType() {
  auto t = torch::empty({1}, torch::kMeta);
  if (t.device().type() != c10::DeviceType::Meta)
    t.item();
}
void state() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  if (metasan::state_of(model) == metasan::State::Declared)
    metasan::load_checkpoint_in_model(model, "weights.safetensors");
  model->to(torch::kCPU);
}
void stateMaterialized() {
  auto t = torch::empty({1}, torch::kMeta);
  if (metasan::state_of(t) == metasan::State::Materialized)
    t.item();
}
void conjunction(bool c) {
  auto t = torch::empty({1}, torch::kMeta);
  if (c && !t.is_meta())
    t.item();
  if (t.is_meta() || t.is_nonzero())
    return;
}
void disjunctionDoesNotGuard(bool c) {
  auto t = torch::empty({1}, torch::kMeta);
  if (c || !t.is_meta())
    t.item();
  // CHECK-NOTES: :[[@LINE-1]]:7: warning: tensor 't' has no data: 'item' needs its values [metasan-meta-data-dependent]
  // CHECK-NOTES: :[[@LINE-4]]:12: note: 't' became empty here: created on the meta device
}
void ternary(const at::Tensor &x) {
  auto t = x.to(torch::kMeta);
  float f = t.is_meta() ? 0.0f : t.item<float>();
}
void torchCheck() {
  auto t = torch::empty({1}, torch::kMeta);
  TORCH_CHECK(!t.is_meta(), "no data");
  t.item();
}
void someOfTheParameters() {
  auto model = metasan::init_empty_weights([] { return Net(8); });
  if (model->scale.is_meta())
    metasan::load_checkpoint_in_model(model, "weights.safetensors");
  model->to(torch::kCPU);
}
void deviceVariable(torch::Device device) {
  auto t = torch::empty({1}, torch::kMeta);
  if (device.is_meta())
    t.to(device);
}
