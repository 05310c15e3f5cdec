// RUN: %check_clang_tidy %s metasan-* %t -- %mock_flags
#include <torch/torch.h>

const torch::Device OnDisk{"meta"};

void enumerator() { torch::empty({1}, c10::DeviceType::Meta).item(); }
// CHECK-MESSAGES: :[[@LINE-1]]:62: warning: tensor 'torch::empty({1}, c10::DeviceType::Meta)' has no data
void atConstant() { at::empty({1}, at::kMeta).item(); }
// CHECK-MESSAGES: :[[@LINE-1]]:47: warning: tensor
void device() { at::empty({1}, torch::Device(torch::kMeta)).item(); }
// CHECK-MESSAGES: :[[@LINE-1]]:61: warning: this tensor has no data
void text() { at::empty({1}, torch::Device("meta")).item(); }
// CHECK-MESSAGES: :[[@LINE-1]]:53: warning: tensor
void optionsObject() { at::empty({1}, torch::TensorOptions().device(torch::kMeta)).item(); }
// CHECK-MESSAGES: :[[@LINE-1]]:84: warning: this tensor
void freeFunction() { at::empty({1}, torch::device(torch::kMeta).dtype(torch::kHalf)).item(); }
// CHECK-MESSAGES: :[[@LINE-1]]:87: warning: this tensor
void dtypeFirst() { at::empty({1}, torch::dtype(torch::kHalf).device(torch::kMeta)).item(); }
// CHECK-MESSAGES: :[[@LINE-1]]:85: warning: this tensor
void optionalDevice() { at::zeros({1}, std::nullopt, torch::Device(torch::kMeta)).item(); }
// CHECK-MESSAGES: :[[@LINE-1]]:83: warning: this tensor
void globalConstant() { at::empty({1}, OnDisk).item(); }
// CHECK-MESSAGES: :[[@LINE-1]]:48: warning: tensor

void optionsBuiltUp() {
  auto options = torch::TensorOptions().dtype(torch::kHalf);
  options = options.device(torch::kMeta);
  options = options.requires_grad(true);
  at::Tensor t = torch::empty({1}, options);
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
}
void deviceVariable() {
  torch::Device device = torch::kMeta;
  auto t = torch::empty({1}, device);
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
}
void movedToMeta(const at::Tensor &x) {
  auto t = x.to(torch::kMeta);
  t.item();
  // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: tensor 't' has no data
}
void like() {
  auto t = torch::empty({1}, torch::kMeta);
  torch::empty_like(t).item();
  // CHECK-MESSAGES: :[[@LINE-1]]:24: warning: tensor 'torch::empty_like(t)' has no data
}
void likeWithDevice(const at::Tensor &x) {
  torch::zeros_like(x, torch::kMeta).item();
  // CHECK-MESSAGES: :[[@LINE-1]]:38: warning: tensor
}
void makesNew(const at::Tensor &x) {
  x.new_zeros({1}, torch::kMeta).item();
  // CHECK-MESSAGES: :[[@LINE-1]]:34: warning: tensor
}
void optionsOfEmpty() {
  auto t = torch::empty({1}, torch::kMeta);
  torch::empty({2}, t.options()).item();
  // CHECK-MESSAGES: :[[@LINE-1]]:34: warning: tensor
}

void otherDevices(torch::Device device, const at::Tensor &x) {
  torch::ones({1}, torch::Device("cuda:0")).item();
  torch::ones({1}, device).item();
  torch::ones({1}, x.options()).item();
  torch::ones({1}, torch::kHalf).item();
  torch::ones({1}).item();
  auto meta = torch::empty({1}, torch::kMeta);
  torch::ones({1}, meta.options().device(torch::kCPU)).item();
}
