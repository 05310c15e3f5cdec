#pragma once

#include "runtime/guard/written_bytes.h"

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <algorithm>

namespace metasan::guard {

/// How many elements lie between the first and the last one of a strided tensor in its storage,
/// both included: numel() of a dense one, more where there are gaps.
inline int64_t element_span(const at::Tensor& tensor) {
  if (tensor.numel() == 0) {
    return 0;
  }
  int64_t span = 1;
  for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
    span += (tensor.size(dim) - 1) * tensor.stride(dim);
  }
  return span;
}

/// Calls `visit(ByteRange)` for each run of consecutive bytes of its storage that a strided tensor
/// covers, in the order of the storage, until `visit` returns false. A dense tensor is one run,
/// transposed or not.
template <typename Visitor>
void for_each_run(const at::Tensor& tensor, Visitor&& visit) {
  struct Dim {
    int64_t size;
    int64_t stride;
    int64_t index = 0;
  };
  if (tensor.numel() == 0) {
    return;
  }
  c10::SmallVector<Dim, 6> dims;
  for (int64_t i = 0; i < tensor.dim(); ++i) {
    // Expanded dimensions cover the same elements again.
    if (tensor.size(i) != 1 && tensor.stride(i) != 0) {
      dims.push_back({tensor.size(i), tensor.stride(i)});
    }
  }
  std::sort(dims.begin(), dims.end(),
            [](const Dim& a, const Dim& b) { return a.stride > b.stride; });
  int64_t run = 1;
  while (!dims.empty() && dims.back().stride <= run) {
    run = (dims.back().size - 1) * dims.back().stride + run;
    dims.pop_back();
  }
  const auto item = static_cast<int64_t>(tensor.element_size());
  auto first = tensor.storage_offset();
  while (visit(ByteRange{first * item, (first + run) * item})) {
    auto dim = dims.rbegin();
    for (; dim != dims.rend(); ++dim) {
      first += dim->stride;
      if (++dim->index < dim->size) {
        break;
      }
      first -= dim->index * dim->stride;
      dim->index = 0;
    }
    if (dim == dims.rend()) {
      return;
    }
  }
}

}  // namespace metasan::guard
