#include "tests/operator_walk/positions.h"

#include "runtime/guard/stack_args.h"

namespace metasan::operator_walk {
namespace {

std::size_t tensors_in(const c10::IValue& value) {
  std::size_t count = 0;
  auto copy = value;
  guard::for_each_tensor(copy, [&](const at::Tensor&) {
    ++count;
    return false;
  });
  return count;
}

}  // namespace

std::string name_of(const Position& position, const c10::FunctionSchema& schema,
                    const torch::jit::Stack& arguments) {
  if (!position.argument) {
    return "*";
  }
  auto name = schema.arguments().at(*position.argument).name();
  if (position.element) {
    name += '[' + std::to_string(*position.element) + ']';
  } else if (!arguments.at(*position.argument).isTensor()) {
    name += "[*]";
  }
  return name;
}

std::vector<Position> positions_of(const torch::jit::Stack& arguments) {
  std::vector<Position> positions;
  std::size_t with_tensors = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto count = tensors_in(arguments[i]);
    with_tensors += count > 0 ? 1 : 0;
    if (count > 0) {
      positions.push_back({.argument = i});
    }
    for (std::size_t element = 0; count > 1 && element < count; ++element) {
      positions.push_back({.argument = i, .element = element});
    }
  }
  if (with_tensors > 1) {
    positions.push_back({});
  }
  return positions;
}

std::vector<at::Tensor> tensors_of(const torch::jit::Stack& stack) {
  std::vector<at::Tensor> tensors;
  for (const auto& value : stack) {
    if (value.isTensor()) {
      tensors.push_back(value.toTensor());
    } else if (value.isTensorList()) {
      const auto list = value.toTensorVector();
      tensors.insert(tensors.end(), list.begin(), list.end());
    } else if (value.isOptionalTensorList()) {
      for (const auto& tensor : value.toOptionalTensorVector()) {
        tensors.push_back(tensor.value_or(at::Tensor()));
      }
    }
  }
  return tensors;
}

void replace_at(torch::jit::Stack& arguments, const Position& position,
                const std::function<at::Tensor(const at::Tensor&)>& replace) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (position.argument && *position.argument != i) {
      continue;
    }
    std::size_t element = 0;
    guard::for_each_tensor(arguments[i], [&](at::Tensor& tensor) {
      if (position.element && element++ != *position.element) {
        return false;
      }
      tensor = replace(tensor);
      return true;
    });
  }
}

}  // namespace metasan::operator_walk
