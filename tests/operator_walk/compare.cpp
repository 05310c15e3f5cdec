#include "tests/operator_walk/compare.h"

#include "tests/operator_walk/without_data.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <utility>

namespace metasan::operator_walk {

bool alike(const at::Tensor& a, const at::Tensor& b) {
  if (!a.defined() || !b.defined()) {
    return a.defined() == b.defined();
  }
  return a.layout() == b.layout() && a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type();
}

bool same(const at::Tensor& a, const at::Tensor& b) {
  if (!alike(a, b)) {
    return false;
  }
  if (!a.defined()) {
    return true;
  }
  if (a.is_meta() != b.is_meta()) {
    return false;
  }
  if (!has_elements(a) || a.numel() == 0) {
    return true;
  }
  const auto left = contents(a);
  const auto right = contents(b);
  return left.nbytes() == right.nbytes() &&
         std::memcmp(left.const_data_ptr(), right.const_data_ptr(), left.nbytes()) == 0;
}

bool same(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return same(x, y); });
}

std::string plain_values(const torch::jit::Stack& stack) {
  std::ostringstream text;
  for (const auto& value : stack) {
    if (!value.isTensor() && !value.isTensorList() && !value.isOptionalTensorList()) {
      text << value << ';';
    }
  }
  return std::move(text).str();
}

std::string describe(const at::Tensor& tensor) {
  if (!tensor.defined()) {
    return "undefined";
  }
  std::ostringstream text;
  text << tensor.sizes() << ' ' << tensor.scalar_type() << (tensor.is_meta() ? " meta" : "");
  return std::move(text).str();
}

std::string one_line(std::string text) {
  constexpr std::size_t kEnough = 200;
  std::replace(text.begin(), text.end(), '\n', ' ');
  text.resize(std::min(text.size(), kEnough));
  return text;
}

}  // namespace metasan::operator_walk
