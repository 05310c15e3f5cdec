#include "runtime/guard/keys.h"

#include <ATen/core/Tensor.h>
#include <torch/library.h>

namespace metasan::guard {
namespace {

/// A copy that shares memory until one of the two is written. A declared tensor has no memory to
/// share, and LibTorch's own kernel insists on some: a plain copy is the same to the caller.
at::Tensor lazy_clone(const at::Tensor& self) {
  return self.clone();
}

// Never destroyed, as in keys.cpp.
[[maybe_unused]] const bool registered = [] {
  static auto* library =
      new torch::Library(torch::Library::IMPL, "aten", kDeclaredKey, __FILE__, __LINE__);
  library->impl("_lazy_clone", &lazy_clone);
  return true;
}();

}  // namespace
}  // namespace metasan::guard
