#include "runtime/guard/call.h"

#include "runtime/guard/keys.h"
#include "runtime/guard/stack_args.h"

namespace metasan::guard {

Call::Call(const c10::OperatorHandle& op, torch::jit::Stack& stack)
    : op_(op), stack_(stack), first_(stack.size() - op.schema().arguments().size()) {
  const auto& schema = op.schema().arguments();
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const auto* alias = schema[i].alias_info();
    const bool written = alias != nullptr && alias->isWrite();
    for_each_tensor(argument(i), [&](at::Tensor& tensor) {
      has_tensors_ = true;
      if (auto record = declared_record_of(tensor)) {
        declared_.push_back({{tensor, schema[i].name(), written}, std::move(record)});
      } else if (!tensor.is_meta()) {
        real_.push_back({tensor, schema[i].name(), written});
      }
      return false;
    });
  }
}

at::ArrayRef<c10::IValue> Call::values() const {
  return at::ArrayRef<c10::IValue>(stack_).slice(first_);
}

void Call::run() {
  // Not the key of tensors with data that are watched: they have a fallback of their own below.
  const c10::impl::ExcludeDispatchKeyGuard exclude(kDeclaredKey);
  op_.callBoxed(&stack_);
}

}  // namespace metasan::guard
