#include "runtime/guard/stand_ins.h"

#include "runtime/guard/stack_args.h"

#include <algorithm>

namespace metasan::guard {

void StandIns::give_back(torch::jit::Stack& stack, std::size_t first) const {
  for (auto i = first; !pairs_.empty() && i < stack.size(); ++i) {
    for_each_tensor(stack[i], [&](at::Tensor& tensor) {
      const auto pair = std::find_if(pairs_.begin(), pairs_.end(),
                                     [&](const Pair& p) { return p.stand_in.is_same(tensor); });
      if (pair == pairs_.end()) {
        return false;
      }
      tensor = pair->original;
      return true;
    });
  }
}

void take_shape_of(const at::Tensor& tensor, const at::Tensor& other) {
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(other.sizes(), other.strides());
}

bool has_shape_of(const at::Tensor& tensor, const at::Tensor& other) {
  return tensor.sizes() == other.sizes() && tensor.strides() == other.strides();
}

}  // namespace metasan::guard
