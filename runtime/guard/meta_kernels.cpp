// Meta tensors that nobody put under guard: those of `torch::empty(sizes, torch::kMeta)`, of
// another library, or of Python. Kernels for the Meta backend alone see their copies and reads, so
// that no tensor with data pays for it. They also run inside the guard's own fallback, which has
// checked the call by then.
#include "runtime/guard/keys.h"
#include "runtime/guard/registration.h"
#include "runtime/guard/violation.h"

#include <metasan/options.h>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/copy_compositeexplicitautograd_dispatch.h>

namespace metasan::guard {
namespace {

bool is_guarding() {
  return options().guard_meta && !c10::impl::tls_is_dispatch_key_excluded(kDeclaredKey);
}

/// `real.to(kMeta)` copies to a tensor that it has just made, where the values may vanish.
bool is_kept(const at::Tensor& written) {
  return written.use_count() > 1 || written.storage().use_count() > 1;
}

at::Tensor& copy_(at::Tensor& self, const at::Tensor& src, bool non_blocking) {
  if (is_guarding() && (src.is_meta() ? !self.is_meta() : is_kept(self))) {
    const bool out = src.is_meta();
    report({.rule = out ? Rule::MetaCopyOut : Rule::MetaWriteLost,
            .op = "aten::copy_",
            .argument = out ? "src" : "self",
            .tensors = {facts_of(out ? src : self)},
            .torch_text = out ? "Cannot copy out of meta tensor; no data!" : ""});
  }
  return at::compositeexplicitautograd::copy_(self, src, non_blocking);
}

/// Where LibTorch has no kernel for Meta: it throws, and says little of why.
void read_values(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const auto arguments = op.schema().arguments().size();
  for (auto i = stack->size() - arguments; is_guarding() && i < stack->size(); ++i) {
    if ((*stack)[i].isTensor() && (*stack)[i].toTensor().is_meta()) {
      Violation violation{.rule = Rule::MetaDataDependent,
                          .op = c10::toString(op.operator_name()),
                          .argument = op.schema().arguments()[i + arguments - stack->size()].name(),
                          .tensors = {facts_of((*stack)[i].toTensor())}};
      if (op.operator_name().name == "aten::_local_scalar_dense") {
        violation.torch_text = "Tensor.item() cannot be called on meta tensors";
      }
      report(violation);
      break;
    }
  }
  TORCH_CHECK_NOT_IMPLEMENTED(
      false, op.operator_name(),
      ": attempted to run this operator with Meta tensors, but there was no "
      "fake impl or Meta kernel registered");
}

bool needs_kernel(const c10::OperatorHandle& op) {
  return op.operator_name().name.starts_with("aten::") &&
         !op.hasKernelForDispatchKey(c10::DispatchKey::Meta) &&
         !op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) &&
         (op.hasTag(at::Tag::data_dependent_output) ||
          (op.hasTag(at::Tag::dynamic_output_shape) &&
           !op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd)));
}

[[maybe_unused]] const bool registered = [] {
  auto& library = permanent_library("aten", c10::DispatchKey::Meta);
  library.impl("copy_", TORCH_FN(copy_));
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const auto& name : dispatcher.getAllOpNames()) {
    const auto op = dispatcher.findSchema(name);
    if (op && needs_kernel(*op)) {
      const auto overload =
          name.overload_name.empty() ? name.name : name.name + '.' + name.overload_name;
      library.impl(overload.c_str(), torch::CppFunction::makeFromBoxedFunction<&read_values>());
    }
  }
  return true;
}();

}  // namespace
}  // namespace metasan::guard
