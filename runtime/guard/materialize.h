#pragma once

#include <metasan/annotations.h>

#include <ATen/core/Tensor.h>

namespace metasan::guard {

class Record;

/// Gives `tensor` the data of `real`, in place: the TensorImpl stays, so members, aliases, ties and
/// optimizers see the data; views of it that were made while it was declared follow. Shares the
/// storage of `real`, nothing is copied, unless `tensor` declared strides that `real` does not
/// have. Afterwards the tensor has no guard.
///
/// Works on declared and on ordinary tensors. `real` must have the sizes of `tensor`; dtype and
/// device become real's. A gradient on the old device is dropped. requires_grad, hooks and leaf
/// status stay. Throws c10::Error when `real` is undefined, meta or an inference tensor, and when
/// sizes differ; `tensor` is then unchanged.
void materialize(METASAN_MATERIALIZES const at::Tensor& tensor, const at::Tensor& real);

/// Gives the tensors on a declared storage their part of its data; `storage` is a vector over all
/// of it. For storages of which materialize() saw parts only.
void materialize_views(Record& record, const at::Tensor& storage);

}  // namespace metasan::guard
