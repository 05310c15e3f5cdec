// `Module::to(device)` on a module that was dispatched. LibTorch asks
// `_has_compatible_shallow_copy_type` for each tensor before it replaces its data, and nothing else
// does: answering it costs no operator anything.
#include "runtime/guard/registration.h"
#include "runtime/guard/remembered.h"

#include <ATen/ops/_has_compatible_shallow_copy_type_ops.h>

namespace metasan::guard {
namespace {

bool has_compatible_type(c10::DispatchKeySet keys, const at::Tensor& self, const at::Tensor& from) {
  check_move(self, from);
  return at::_ops::_has_compatible_shallow_copy_type::redispatch(keys & c10::after_autograd_keyset,
                                                                 self, from);
}

/// Autograd keys, as the backend of the replacement may have a kernel of its own.
[[maybe_unused]] const bool registered = [] {
  for (const auto key : {c10::DispatchKey::AutogradCPU, c10::DispatchKey::AutogradCUDA,
                         c10::DispatchKey::AutogradXPU, c10::DispatchKey::AutogradMPS,
                         c10::DispatchKey::AutogradPrivateUse1}) {
    permanent_library("aten", key)
        .impl("_has_compatible_shallow_copy_type", TORCH_FN(has_compatible_type));
  }
  return true;
}();

}  // namespace
}  // namespace metasan::guard
