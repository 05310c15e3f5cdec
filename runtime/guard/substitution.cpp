#include "runtime/guard/substitution.h"

#include "runtime/guard/stack_args.h"

#include <algorithm>

namespace metasan::guard {

Substitution::Substitution(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  for (auto i = stack.size() - op.schema().arguments().size(); i < stack.size(); ++i) {
    for_each_tensor(stack[i], [&](at::Tensor& tensor) {
      const auto record = record_of(tensor);
      const auto real = record ? record->real_view(tensor) : at::Tensor();
      if (!real.defined()) {
        return false;
      }
      replaced_.push_back({tensor, real});
      tensor = real;
      return true;
    });
  }
}

void Substitution::restore(Call& call) const {
  for (std::size_t i = 0; !replaced_.empty() && i < call.values_size(); ++i) {
    for_each_tensor(call.argument(i), [&](at::Tensor& tensor) {
      const auto entry = std::find_if(replaced_.begin(), replaced_.end(),
                                      [&](const auto& r) { return r.real.is_same(tensor); });
      if (entry == replaced_.end()) {
        return false;
      }
      tensor = entry->original;
      return true;
    });
  }
}

}  // namespace metasan::guard
