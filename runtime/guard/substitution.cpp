#include "runtime/guard/substitution.h"

#include "runtime/guard/record.h"
#include "runtime/guard/stack_args.h"

namespace metasan::guard {
namespace {

/// `real` is what real_view(original) gave, after an operator ran on it.
void follow(const at::Tensor& original, const at::Tensor& real) {
  const auto before = record_of(original)->real_view(original);
  if (!before.storage().is_alias_of(real.storage())) {
    original.unsafeGetTensorImpl()->shallow_copy_from(real.getIntrusivePtr());
    return;
  }
  if (!has_shape_of(original, real)) {
    take_shape_of(original, real);
  }
  if (const auto moved = real.storage_offset() - before.storage_offset(); moved != 0) {
    original.unsafeGetTensorImpl()->set_storage_offset(original.storage_offset() + moved);
  }
}

}  // namespace

Substitution::Substitution(const c10::OperatorHandle& op, torch::jit::Stack& stack)
    : first_(stack.size() - op.schema().arguments().size()) {
  for (auto i = first_; i < stack.size(); ++i) {
    for_each_tensor(stack[i], [&](at::Tensor& tensor) {
      const auto record = record_of(tensor);
      const auto real = record ? record->real_view(tensor) : at::Tensor();
      if (!real.defined()) {
        return false;
      }
      stand_ins_.add(tensor, real);
      tensor = real;
      return true;
    });
  }
}

void Substitution::restore(torch::jit::Stack& stack) const {
  for (const auto& [original, real] : stand_ins_.pairs()) {
    follow(original, real);
  }
  stand_ins_.give_back(stack, first_);
}

}  // namespace metasan::guard
