#include "tests/operator_walk/without_data.h"

#include "runtime/guard/offloaded.h"
#include "runtime/guard/raw_access.h"
#include "runtime/guard/record.h"
#include "runtime/guard/uninitialized.h"

#include <ATen/ops/empty_strided.h>

#include <array>
#include <cstring>
#include <limits>

namespace metasan::operator_walk {
namespace {

at::Tensor declared(const at::Tensor& tensor, Watch watch) {
  auto empty =
      at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(c10::kMeta));
  if (watch == Watch::MetaSan) {
    guard::attach_record(
        empty, c10::make_intrusive<guard::Record>(std::make_shared<const guard::Declaration>()));
  }
  return empty;
}

/// New memory with the geometry of `tensor`, and `values` in it.
at::Tensor memory_like(const at::Tensor& tensor, const at::Tensor& values) {
  auto memory = at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options());
  memory.copy_(values);
  return memory.variable_data();  // a tensor that was never written to, as far as versions tell
}

/// For floating point: what spreads, what compares, what multiplies.
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array kPoisons{
    std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, 7.0, 0.0, 1.0};

at::Tensor poison_for(const at::Tensor& tensor, int poison) {
  if (tensor.scalar_type() == at::kBool) {
    return tensor.logical_not();
  }
  if (!at::isIntegralType(tensor.scalar_type(), /*includeBool=*/false)) {
    return at::full_like(tensor, kPoisons.at(static_cast<std::size_t>(poison)));
  }
  switch (poison) {
    case 0:
      return tensor.bitwise_not();
    case 1:
      return tensor.bitwise_xor(5);
    case 2:
      return tensor.add(1);
    case 3:
      return at::zeros_like(tensor);
    default:
      return tensor.logical_not().to(tensor.scalar_type());
  }
}

at::Tensor uninitialized(const at::Tensor& tensor, Watch watch, int poison) {
  auto memory = memory_like(tensor, poison_for(tensor, poison));
  if (watch == Watch::MetaSan) {
    guard::track_uninitialized(memory, guard::RecordPtr());
  }
  return memory;
}

/// The tensors that a sparse one consists of; nothing looks at whether they fit each other.
std::vector<at::Tensor> parts_of(const at::Tensor& sparse) {
  switch (sparse.layout()) {
    case c10::kSparse:
      return {sparse._indices(), sparse._values()};
    case c10::kSparseCsr:
    case c10::kSparseBsr:
      return {sparse.crow_indices(), sparse.col_indices(), sparse.values()};
    case c10::kSparseCsc:
    case c10::kSparseBsc:
      return {sparse.ccol_indices(), sparse.row_indices(), sparse.values()};
    default:
      return {sparse.to_dense()};
  }
}

at::Tensor bytes_of(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> bytes;
  for (const auto& tensor : tensors) {
    const auto plain = contents(tensor);
    bytes.push_back(at::empty({static_cast<int64_t>(plain.nbytes())}, at::kByte));
    std::memcpy(bytes.back().mutable_data_ptr(), plain.const_data_ptr(), plain.nbytes());
  }
  return at::cat(bytes);
}

at::Tensor plain_copy(const at::Tensor& tensor) {
  if (tensor.is_quantized()) {
    return tensor.int_repr();
  }
  if (tensor.layout() != c10::kStrided) {
    return bytes_of(parts_of(tensor));
  }
  return tensor.resolve_conj().resolve_neg().clone(c10::MemoryFormat::Contiguous);
}

at::Tensor offloaded(const at::Tensor& tensor, Watch watch) {
  auto memory = memory_like(tensor, tensor);
  if (watch == Watch::MetaSan) {
    guard::offload(memory, tensor.device(), guard::RecordPtr());
  }
  return memory;
}

}  // namespace

int poisons(State state) {
  return state == State::Uninitialized ? static_cast<int>(kPoisons.size()) : 1;
}

at::Tensor without_data(const at::Tensor& tensor, const Absence& absence) {
  switch (absence.state) {
    case State::Declared:
      return declared(tensor, absence.watch);
    case State::Uninitialized:
      return uninitialized(tensor, absence.watch, absence.poison);
    case State::Offloaded:
      return offloaded(tensor, absence.watch);
    case State::Materialized:
      break;
  }
  return tensor;
}

Watching::Watching(Watch watch) {
  if (watch == Watch::Nobody) {
    alone_.emplace();
  }
}

bool can_be_without_data(const at::Tensor& tensor) {
  return tensor.defined() && tensor.layout() == c10::kStrided && !tensor.is_quantized();
}

bool has_elements(const at::Tensor& tensor) {
  return tensor.defined() && !tensor.is_meta() && !tensor.is_nested();
}

at::Tensor contents(const at::Tensor& tensor) {
  if (!has_elements(tensor)) {
    return tensor;
  }
  const guard::ExcludeGuardKeys nobody;
  if (const auto record = guard::offloaded_record_of(tensor)) {
    return plain_copy(record->kept(tensor));
  }
  guard::RawAccessLift lift;
  if (const auto record = guard::uninitialized_record_of(tensor)) {
    lift.add(tensor, record);
  }
  return plain_copy(tensor.detach());
}

std::vector<at::Tensor> contents(std::vector<at::Tensor> tensors) {
  for (auto& tensor : tensors) {
    tensor = contents(tensor);
  }
  return tensors;
}

std::vector<bool> written_elements(const at::Tensor& tensor) {
  const guard::ExcludeGuardKeys nobody;
  if (tensor.layout() != c10::kStrided) {
    std::vector<bool> bytes;
    for (const auto& part : parts_of(tensor)) {
      for (const bool written : written_elements(part)) {
        bytes.insert(bytes.end(), part.element_size(), written);
      }
    }
    return bytes;
  }
  std::vector<bool> written(static_cast<std::size_t>(tensor.numel()), true);
  const auto record = guard::uninitialized_record_of(tensor);
  if (!record || record->is_finished()) {
    return written;
  }
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    auto offset = tensor.storage_offset();
    auto rest = i;
    for (auto dim = tensor.dim(); dim-- > 0; rest /= tensor.size(dim)) {
      offset += rest % tensor.size(dim) * tensor.stride(dim);
    }
    written[static_cast<std::size_t>(i)] = !record->first_gap(tensor.as_strided({}, {}, offset));
  }
  return written;
}

}  // namespace metasan::operator_walk
