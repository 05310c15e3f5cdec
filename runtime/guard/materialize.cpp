#include "runtime/guard/materialize.h"

#include "runtime/guard/keys.h"
#include "runtime/guard/record.h"
#include "runtime/guard/remembered.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/InferenceMode.h>

namespace metasan::guard {
namespace {

bool covers_its_storage(const at::Tensor& tensor) {
  return tensor.storage_offset() == 0 && tensor.nbytes() == tensor.storage().nbytes();
}

/// `real` with the strides that `tensor` declared: views were made, and kernels chosen, for that
/// layout.
at::Tensor with_strides_of(const at::Tensor& tensor, const at::Tensor& real) {
  if (real.strides() == tensor.strides()) {
    return real;
  }
  auto laid_out =
      at::empty_strided(tensor.sizes(), tensor.strides(), real.options().requires_grad(false));
  return laid_out.copy_(real);
}

/// Gives the other tensors on the declared storage their part of the data.
void complete_views(Record& record, const at::Tensor& tensor, const at::Tensor& real,
                    caffe2::TypeMeta declared_dtype) {
  record.set_real(real);
  for (const auto& view : record.views()) {
    // A view with a dtype of its own has no counterpart in data of another element size; it stays
    // guarded.
    const bool follows = !view.is_same(tensor) && view.key_set().has_any(kGuardKeys) &&
                         view.dtype() == declared_dtype;
    if (follows) {
      view.unsafeGetTensorImpl()->shallow_copy_from(record.real_view(view).getIntrusivePtr());
    }
  }
}

/// A gradient computed for the tensor's old place cannot be accumulated into any more.
void drop_stale_gradient(const at::Tensor& tensor) {
  auto& gradient = tensor.mutable_grad();
  if (gradient.defined() &&
      (gradient.device() != tensor.device() || gradient.dtype() != tensor.dtype())) {
    gradient.reset();
  }
}

}  // namespace

void materialize(const at::Tensor& tensor, const at::Tensor& real) {
  TORCH_CHECK(tensor.defined() && real.defined(),
              "MetaSan: cannot materialize with an undefined tensor");
  TORCH_CHECK(!real.is_meta(), "MetaSan: cannot materialize with a tensor that has no data itself");
  TORCH_CHECK(!real.is_inference(),
              "MetaSan: cannot materialize with a tensor made in inference mode: it could not be "
              "trained; make it under c10::InferenceMode guard(false)");
  TORCH_CHECK(tensor.sizes() == real.sizes(), "MetaSan: cannot materialize a tensor of sizes ",
              tensor.sizes(), " with data of sizes ", real.sizes());

  const c10::InferenceMode no_inference(false);
  const at::NoGradGuard no_grad;
  auto record = record_of(tensor);
  if (!record && tensor.is_meta()) {
    // A meta tensor from elsewhere: under guard for a moment, as only then LibTorch lets it change
    // its kind.
    record = c10::make_intrusive<Record>(kNothingKnown);
    attach_record(tensor, record);
  }
  clear_placed(tensor);
  if (record) {
    remember(tensor, record);
  }
  const bool whole = record && covers_its_storage(tensor);
  const auto declared_dtype = tensor.dtype();
  const auto data = with_strides_of(tensor, real);
  // set_data drops an autograd accumulator that was made for the old device; shallow_copy_from
  // alone would keep it.
  tensor.set_data(data);
  drop_stale_gradient(tensor);
  if (whole) {
    complete_views(*record, tensor, data.detach(), declared_dtype);
  }
}

void materialize_views(Record& record, const at::Tensor& storage) {
  const c10::InferenceMode no_inference(false);
  const at::NoGradGuard no_grad;
  complete_views(record, at::Tensor(), storage, storage.dtype());
}

}  // namespace metasan::guard
