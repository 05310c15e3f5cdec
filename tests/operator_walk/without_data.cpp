#include "tests/operator_walk/without_data.h"

#include "runtime/guard/record.h"

#include <ATen/ops/empty_strided.h>

namespace metasan::operator_walk {

at::Tensor without_data(const at::Tensor& tensor, Watch watch) {
  auto empty =
      at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(c10::kMeta));
  if (watch == Watch::MetaSan) {
    guard::attach_record(
        empty, c10::make_intrusive<guard::Record>(std::make_shared<const guard::Declaration>()));
  }
  return empty;
}

Watching::Watching(Watch watch) {
  if (watch == Watch::Nobody) {
    alone_.emplace();
  }
}

bool can_be_without_data(const at::Tensor& tensor) {
  return tensor.defined() && tensor.layout() == c10::kStrided && !tensor.is_quantized();
}

}  // namespace metasan::operator_walk
