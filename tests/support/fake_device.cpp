#include "tests/support/fake_device.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/ops/alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/set_cpu_dispatch.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <cstdlib>
#include <cstring>

namespace metasan::testing {
namespace {

using Dtype = std::optional<c10::ScalarType>;
using Layout = std::optional<c10::Layout>;
using Place = std::optional<c10::Device>;

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

struct Memory final : c10::Allocator {
  c10::DataPtr allocate(std::size_t bytes) override {
    void* data = bytes == 0 ? nullptr : std::malloc(bytes);
    return {data, data, &std::free, kFakeDevice};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &std::free; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
};
Memory memory;
REGISTER_ALLOCATOR(c10::DeviceType::PrivateUse1, &memory);

/// One device, one stream, and nothing to wait for.
struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return kFakeDevice.type(); }
  c10::Device exchangeDevice(c10::Device) const override { return kFakeDevice; }
  c10::Device getDevice() const override { return kFakeDevice; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device) const override {
    return c10::Stream(c10::Stream::DEFAULT, kFakeDevice);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override { return stream; }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return 1; }
  /// torch::manual_seed seeds each device's; this one draws on the CPU.
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override {
    return at::detail::getDefaultCPUGenerator();
  }
};

/// The same memory as a CPU tensor, for as long as `tensor` lives.
at::Tensor on_cpu(const at::Tensor& tensor) {
  if (tensor.is_cpu()) {
    return tensor;
  }
  auto* data = static_cast<char*>(const_cast<void*>(tensor.storage().data()));
  return at::from_blob(
      data + static_cast<std::size_t>(tensor.storage_offset()) * tensor.element_size(),
      tensor.sizes(), tensor.strides(), tensor.options().device(c10::kCPU).requires_grad(false));
}

at::Tensor empty(c10::IntArrayRef sizes, Dtype dtype, Layout, Place, std::optional<bool>,
                 std::optional<c10::MemoryFormat> format) {
  return at::detail::empty_generic(sizes, &memory, kKeys, c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(c10::IntArrayRef sizes, c10::IntArrayRef strides, Dtype dtype, Layout,
                         Place, std::optional<bool>) {
  return at::detail::empty_strided_generic(sizes, strides, &memory, kKeys,
                                           c10::dtype_or_default(dtype));
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool) {
  on_cpu(to).copy_(on_cpu(from));
  return to;
}

/// The end of an in-place operator that ran on copies.
at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
  if (from.sizes() != to.sizes()) {
    const auto resized = at::empty(from.sizes(), to.options().requires_grad(false));
    to.set_(resized.storage(), 0, resized.sizes(), resized.strides());
  }
  return copy_from(from, to, false);
}

at::Tensor as_strided(const at::Tensor& tensor, c10::IntArrayRef sizes, c10::IntArrayRef strides,
                      std::optional<int64_t> offset) {
  return at::native::as_strided_tensorimpl(tensor, sizes, strides, offset);
}

at::Tensor view(const at::Tensor& tensor, c10::IntArrayRef sizes) {
  return at::native::view(tensor, sizes);
}

at::Tensor& set_storage(at::Tensor& tensor, at::Storage storage, int64_t offset,
                        c10::IntArrayRef sizes, c10::IntArrayRef strides) {
  return at::cpu::set_(tensor, std::move(storage), offset, sizes, strides);
}

at::Tensor& set_tensor(at::Tensor& tensor, const at::Tensor& source) {
  return set_storage(tensor, source.storage(), source.storage_offset(), source.sizes(),
                     source.strides());
}

/// set_data between this device and the CPU, as LibTorch's own devices allow it.
bool has_compatible_shallow_copy_type(const at::Tensor&, const at::Tensor&) {
  return true;
}

void run_on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  at::native::cpu_fallback(op, stack);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("empty.memory_format", TORCH_FN(empty));
  library.impl("empty_strided", TORCH_FN(empty_strided));
  library.impl("_copy_from", TORCH_FN(copy_from));
  library.impl("_copy_from_and_resize", TORCH_FN(copy_from_and_resize));
  library.impl("as_strided", TORCH_FN(as_strided));
  library.impl("view", TORCH_FN(view));
  library.impl("alias", TORCH_FN(at::native::alias));
  library.impl("view_as_real", TORCH_FN(at::native::view_as_real));
  library.impl("set_.source_Storage_storage_offset", TORCH_FN(set_storage));
  library.impl("set_.source_Tensor", TORCH_FN(set_tensor));
  library.impl("_has_compatible_shallow_copy_type", TORCH_FN(has_compatible_shallow_copy_type));
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_cpu>());
}

const bool registered = [] {
  c10::register_privateuse1_backend("fake");         // autograd asks for its streams only then
  at::RegisterPrivateUse1HooksInterface(new Hooks);  // lives as long as the process
  return true;
}();

}  // namespace
}  // namespace metasan::testing
