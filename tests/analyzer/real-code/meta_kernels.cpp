// An operator of one's own with its Meta kernel, which computes shapes and nothing else.
#include <ATen/native/Resize.h>
#include <torch/library.h>
#include <torch/torch.h>

namespace meta_kernels {

at::Tensor jagged_to_dense_cpu(const at::Tensor& values, const at::Tensor& offsets, int64_t max_length) {
  auto out = at::zeros({offsets.numel() - 1, max_length, values.size(1)}, values.options());
  auto bounds = offsets.accessor<int64_t, 1>();
  for (int64_t row = 0; row + 1 < bounds.size(0); ++row) {
    auto length = std::min(bounds[row + 1] - bounds[row], max_length);
    out[row].narrow(0, 0, length).copy_(values.narrow(0, bounds[row], length));
  }
  return out;
}
at::Tensor jagged_to_dense_meta(const at::Tensor& values, const at::Tensor& offsets, int64_t max_length) {
  TORCH_CHECK(values.is_meta() && values.dim() == 2, "values must be a matrix");
  return at::empty({offsets.numel() - 1, max_length, values.size(1)}, values.options().device(at::kMeta));
}

at::Tensor all_gather_meta(const at::Tensor& shard, int64_t world) {
  std::vector<int64_t> sizes = shard.sizes().vec();
  sizes[0] *= world;
  auto gathered = at::empty(sizes, shard.options().device(at::kMeta));
  return gathered.contiguous().view({world, -1}).t();
}

std::tuple<at::Tensor, at::Tensor> quantize_meta(const at::Tensor& x, at::ScalarType type, int64_t block) {
  auto quantized = at::empty_like(x, x.options().dtype(type).device(at::kMeta));
  auto scales = at::empty_strided({x.size(0), x.size(1) / block}, {1, x.size(0)}, x.options().dtype(at::kFloat).device(at::kMeta));
  quantized.copy_(x);
  scales.fill_(1.0);
  return {quantized, scales};
}

at::Tensor& add_out_meta(const at::Tensor& a, const at::Tensor& b, at::Tensor& out) {
  at::Tensor result = at::add(a, b);
  at::native::resize_output(out, result.sizes());
  return out;
}

TORCH_LIBRARY_FRAGMENT(metasan_examples, m) {
  m.def("jagged_to_dense(Tensor values, Tensor offsets, int max_length) -> Tensor");
  m.def("all_gather(Tensor shard, int world) -> Tensor");
  m.def("quantize(Tensor x, ScalarType type, int block) -> (Tensor, Tensor)");
}
TORCH_LIBRARY_IMPL(metasan_examples, CPU, m) { m.impl("jagged_to_dense", TORCH_FN(jagged_to_dense_cpu)); }
TORCH_LIBRARY_IMPL(metasan_examples, Meta, m) {
  m.impl("jagged_to_dense", TORCH_FN(jagged_to_dense_meta));
  m.impl("all_gather", TORCH_FN(all_gather_meta));
  m.impl("quantize", TORCH_FN(quantize_meta));
}

} // namespace meta_kernels
