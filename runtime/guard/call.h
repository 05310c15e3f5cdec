#pragma once

#include "runtime/guard/record.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <string>
#include <vector>

namespace metasan::guard {

/// A tensor argument of a boxed call.
struct TensorArgument {
  at::Tensor tensor;
  std::string_view name;  ///< in the schema: "self"; lives as long as the operator
  bool written;           ///< the schema says that the operator writes to it
};

/// A declared tensor argument, with its record.
struct DeclaredArgument : TensorArgument {
  RecordPtr record;
};

/// One boxed call, its arguments still on the stack, sorted by what their tensors are.
class Call {
 public:
  Call(const c10::OperatorHandle& op, torch::jit::Stack& stack);

  const c10::OperatorHandle& op() const { return op_; }
  const std::string& name() const { return op_.operator_name().name; }
  std::string full_name() const { return c10::toString(op_.operator_name()); }

  const std::vector<DeclaredArgument>& declared() const { return declared_; }
  /// Tensors with data: neither declared nor on the meta device.
  const std::vector<TensorArgument>& real() const { return real_; }
  bool has_tensors() const { return has_tensors_; }

  /// The arguments while they are on the stack; the results once the operator ran.
  at::ArrayRef<c10::IValue> values() const;
  c10::IValue& argument(std::size_t index) { return stack_[first_ + index]; }
  std::size_t arguments() const { return op_.schema().arguments().size(); }
  /// The values from the first argument (or result) to the top of the stack.
  std::size_t values_size() const { return stack_.size() - first_; }

  /// A copy of the arguments.
  torch::jit::Stack copy_arguments() const { return {stack_.begin() + first_, stack_.end()}; }
  void drop_values() { stack_.resize(first_); }
  void push(c10::IValue value) { stack_.push_back(std::move(value)); }

  /// Runs the operator with the key of declared tensors excluded: its results replace its arguments
  /// on the stack.
  void run();

 private:
  const c10::OperatorHandle& op_;
  torch::jit::Stack& stack_;
  const std::size_t first_;
  std::vector<DeclaredArgument> declared_;
  std::vector<TensorArgument> real_;
  bool has_tensors_ = false;
};

}  // namespace metasan::guard
