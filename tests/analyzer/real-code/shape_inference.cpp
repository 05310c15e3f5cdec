// The shape of a result, from operators on tensors without data.
#include <torch/torch.h>

#include <unordered_map>
#include <variant>

namespace shape_inference {

at::Tensor to_meta(const at::Tensor& tensor) {
  if (!tensor.defined())
    return tensor;
  auto out = at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kMeta));
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number())
    out.unsafeGetTensorImpl()->set_wrapped_number(true);
  return out;
}
std::optional<at::Tensor> to_meta(const std::optional<at::Tensor>& tensor) {
  return tensor ? std::make_optional(to_meta(*tensor)) : std::nullopt;
}
std::vector<at::Tensor> to_meta(at::TensorList list) {
  std::vector<at::Tensor> out;
  out.reserve(list.size());
  for (const auto& tensor : list)
    out.push_back(to_meta(tensor));
  return out;
}

struct Shape {
  at::ScalarType type;
  std::vector<int64_t> sizes;
};
Shape shape_of(const at::Tensor& tensor) { return {tensor.scalar_type(), tensor.sizes().vec()}; }

Shape addmm(const at::Tensor& self, const at::Tensor& a, const at::Tensor& b) {
  return shape_of(at::addmm(to_meta(self), to_meta(a), to_meta(b)));
}
std::vector<Shape> attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const std::optional<at::Tensor>& mask) {
  auto q = query.to(at::kMeta), k = key.to(at::kMeta), v = value.to(at::kMeta);
  auto scores = at::matmul(q, k.transpose(-2, -1)) / std::sqrt(static_cast<double>(q.size(-1)));
  if (auto m = to_meta(mask))
    scores = scores + *m;
  auto weights = at::softmax(scores, -1);
  return {shape_of(at::matmul(weights, v)), shape_of(weights)};
}
Shape concatenation(at::TensorList tensors, int64_t dim) { return shape_of(at::cat(to_meta(tensors), dim)); }

int64_t number_of_devices(at::IntArrayRef mesh) { return at::empty(mesh, at::TensorOptions().device(at::kMeta)).numel(); }

// An evaluator with values that are numbers or tensors without data.
class Evaluator {
 public:
  using Value = std::variant<std::monostate, double, at::Tensor>;

  void bind(const std::string& name, const at::Tensor& tensor) {
    values_[name] = tensor.is_meta() ? tensor : tensor.to(at::kMeta);
  }
  Value evaluate(const std::string& name) {
    if (auto found = values_.find(name); found != values_.end())
      return found->second;
    return {};
  }
  std::vector<int64_t> sizes(const std::string& name) {
    Value value = evaluate(name);
    const auto* tensor = std::get_if<at::Tensor>(&value);
    TORCH_CHECK(tensor, name, " is no tensor");
    return tensor->sizes().vec();
  }

 private:
  std::unordered_map<std::string, Value> values_;
};

// The input's data are taken where there are some.
at::Tensor maximum_or_bound(const at::Tensor& lengths, int64_t bound) {
  auto meta = lengths.to(at::kMeta);
  auto result = at::zeros({meta.size(0)}, lengths.options().device(at::kCPU));
  result.fill_(lengths.is_meta() ? bound : lengths.max().item<int64_t>());
  return result;
}

} // namespace shape_inference
