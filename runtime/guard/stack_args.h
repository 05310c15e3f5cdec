#pragma once

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <algorithm>

namespace metasan::guard {

/// Calls `visit(tensor)` for every defined tensor in an operator's argument or result: a tensor, a
/// list of tensors, a list of optional tensors. When `visit` returns true it has replaced the
/// tensor, and the value is rebuilt.
template <typename Visitor>
void for_each_tensor(c10::IValue& value, Visitor&& visit) {
  if (value.isTensor()) {
    auto tensor = value.toTensor();
    if (tensor.defined() && visit(tensor)) {
      value = std::move(tensor);
    }
  } else if (value.isTensorList()) {
    auto tensors = value.toTensorVector();
    bool replaced = false;
    for (auto& tensor : tensors) {
      replaced |= tensor.defined() && visit(tensor);
    }
    if (replaced) {
      value = c10::IValue(c10::List<at::Tensor>(at::ArrayRef<at::Tensor>(tensors)));
    }
  } else if (value.isOptionalTensorList()) {
    auto tensors = value.toOptionalTensorVector();
    bool replaced = false;
    for (auto& tensor : tensors) {
      replaced |= tensor && tensor->defined() && visit(*tensor);
    }
    if (replaced) {
      value = c10::IValue(
          c10::List<std::optional<at::Tensor>>(at::ArrayRef<std::optional<at::Tensor>>(tensors)));
    }
  }
}

/// True when `predicate` holds for a defined tensor in an operator's argument or result.
template <typename Predicate>
bool any_tensor(const c10::IValue& value, Predicate&& predicate) {
  const auto holds = [&](const c10::IValue& element) {
    return element.isTensor() && element.toTensor().defined() && predicate(element.toTensor());
  };
  if (value.isList()) {
    const auto elements = value.toListRef();
    return std::any_of(elements.begin(), elements.end(), holds);
  }
  return holds(value);
}

}  // namespace metasan::guard
