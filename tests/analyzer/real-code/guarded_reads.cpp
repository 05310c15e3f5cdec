// Code that serves real tensors and tensors without data, and asks before it reads.
#include <torch/torch.h>

namespace guarded_reads {

void check_infos(const at::Tensor& infos, const std::string& name, bool is_matrix) {
  if (infos.is_meta())
    return;
  if (is_matrix) {
    if (auto info = infos.item<int64_t>(); info < 0)
      TORCH_CHECK(false, name, ": argument ", -info, " has an illegal value");
    return;
  }
  auto cpu = infos.to(at::kCPU);
  TORCH_CHECK(!(cpu > 0).any().item<bool>(), name, ": not invertible");
}

std::tuple<at::Tensor, at::Tensor> inverse_ex(const at::Tensor& a) {
  auto infos = at::empty(a.sizes().slice(0, a.dim() - 2), a.options().dtype(at::kInt));
  auto result = at::empty_like(a);
  return {result, infos};
}
at::Tensor inverse_of_shape(at::IntArrayRef shape) {
  auto [result, infos] = inverse_ex(at::empty(shape, at::device(at::kMeta)));
  check_infos(infos, "inverse", shape.size() == 2);
  return result;
}

double mean_or(const at::Tensor& x, double fallback) {
  const bool has_data = x.device().type() != at::kMeta && x.defined();
  return has_data ? x.mean().item<double>() : fallback;
}

std::string describe(const at::Tensor& x) {
  std::ostringstream text;
  text << x.toString() << x.sizes();
  if (x.device() != at::Device(at::kMeta) && x.numel() < 10)
    text << x;
  return text.str();
}
std::string describe_default() { return describe(at::empty({2}, at::kMeta)) + describe(at::ones({2})); }

at::Tensor on_host(at::Tensor x) {
  switch (x.device().type()) {
    case at::kMeta:
      x = at::zeros(x.sizes(), x.options().device(at::kCPU));
      break;
    case at::kCPU:
      break;
    default:
      x = x.cpu();
  }
  return x;
}

#define RETURN_IF_META(x)   \
  do {                      \
    if ((x).is_meta())      \
      return at::Tensor{};  \
  } while (false)
at::Tensor histogram(int64_t bins, bool lazy) {
  auto counts = at::zeros({bins}, at::device(lazy ? at::kMeta : at::kCPU));
  RETURN_IF_META(counts);
  counts[0] = counts.sum().item();
  return counts;
}

void require_materialized(const at::Tensor& weight) {
  TORCH_CHECK_VALUE(!weight.is_meta(), "weights must be materialized before they are bound");
}
double norm_of_checked(bool lazy) {
  auto weight = lazy ? at::empty({4}, at::kMeta) : at::ones({4});
  require_materialized(weight);
  return weight.norm().item<double>();
}

} // namespace guarded_reads
