// A binding to a kernel library: an argument that is not given is a tensor on the meta device, and the kernels get a null pointer for it.
#include <torch/torch.h>

namespace optional_arguments {

#define CHECK_DTYPE(x, type) TORCH_CHECK((x).dtype() == torch::type, #x " must be " #type)
#define CHECK_DTYPE_OPT(x, type)                                                                                                         \
  TORCH_CHECK((x).device().is_meta() || (x).dtype() == torch::type, #x " must be " #type " or not given")
#define CHECK_SHAPE_OPT(x, dim_x, y, dim_y)                                                                                              \
  TORCH_CHECK((x).device().is_meta() || (x).size(dim_x) == (y).size(dim_y), #x " and " #y " have different shapes")
#define HALF_OR_NULL(x) ((x).device().is_meta() ? nullptr : static_cast<c10::Half*>((x).data_ptr()))

const torch::Tensor none_tensor = torch::empty({1, 1}, torch::kMeta);

struct Matrix {
  Matrix(int64_t rows, uint32_t* weight, c10::Half* scales, uint16_t* permutation, c10::Half* bias)
      : rows(rows), weight(weight), scales(scales), permutation(permutation), bias(bias) {}
  int64_t rows;
  uint32_t* weight;
  c10::Half* scales;
  uint16_t* permutation;
  c10::Half* bias;
};

uintptr_t make_matrix(torch::Tensor weight, torch::Tensor permutation, torch::Tensor scales, torch::Tensor bias) {
  CHECK_DTYPE(weight, kInt);
  CHECK_DTYPE_OPT(permutation, kShort);
  CHECK_DTYPE_OPT(scales, kHalf);
  CHECK_DTYPE_OPT(bias, kHalf);
  CHECK_SHAPE_OPT(permutation, 0, weight, 0);

  auto* matrix = new Matrix(
      weight.size(0),
      reinterpret_cast<uint32_t*>(weight.data_ptr()),
      scales.device().is_meta() ? NULL : (c10::Half*)scales.data_ptr(),
      permutation.device().is_meta() ? nullptr : (uint16_t*)permutation.data_ptr(),
      HALF_OR_NULL(bias));
  return reinterpret_cast<uintptr_t>(matrix);
}

// The cast is of the condition: odd, and right all the same.
c10::Half* norm_weight(torch::Tensor layernorm) { return (c10::Half*)layernorm.is_meta() ? NULL : (c10::Half*)layernorm.data_ptr(); }

int64_t group_of(const torch::Tensor& permutation, int64_t row) {
  bool given = !permutation.device().is_meta();
  if (given)
    return permutation[row].item<int64_t>();
  return row;
}

torch::Tensor add_bias(torch::Tensor x, const std::optional<torch::Tensor>& bias) {
  torch::Tensor b = bias.value_or(none_tensor);
  if (!b.is_meta())
    x = x + b.to(x.device());
  return x;
}

uintptr_t make_plain_matrix(torch::Tensor weight, torch::Tensor scales) {
  auto none = torch::empty({1, 1}, torch::TensorOptions().device(torch::kMeta));
  return make_matrix(weight, none, scales, none_tensor);
}

} // namespace optional_arguments
