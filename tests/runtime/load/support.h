#pragma once

#include <metasan/load.h>
#include <metasan/state.h>

#include "runtime/guard/naming.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/temp_directory.h"

#include <torch/torch.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace metasan::testing {

inline std::string_view safetensors_name(c10::ScalarType type) {
#define METASAN_DTYPE(Name, Bits, Scalar)                                                         \
  if (c10::ScalarType::Scalar != c10::ScalarType::Undefined && type == c10::ScalarType::Scalar) { \
    return #Name;                                                                                 \
  }
#include "runtime/checkpoint/dtypes.def"
  throw std::runtime_error("safetensors has no such dtype");
}

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// A sound safetensors file with these tensors, in this order.
inline std::string safetensors_of(const NamedTensors& tensors, bool misalign = false) {
  SafetensorsWriter writer;
  for (const auto& [name, tensor] : tensors) {
    const at::Tensor packed = tensor.detach().contiguous();
    writer.add(name, safetensors_name(packed.scalar_type()), packed.sizes().vec(),
               {static_cast<const char*>(packed.const_data_ptr()), packed.nbytes()});
  }
  return writer.bytes(misalign);
}

/// Two linear layers; the state that the tests load and check.
struct TwoLayersImpl : torch::nn::Module {
  TwoLayersImpl() {
    first = register_module("first", torch::nn::Linear(2, 3));
    second = register_module("second", torch::nn::Linear(3, 2));
  }
  at::Tensor forward(const at::Tensor& x) { return second(torch::relu(first(x))); }

  torch::nn::Linear first{nullptr};
  torch::nn::Linear second{nullptr};
};
TORCH_MODULE(TwoLayers);

/// What a module looks like, to prove that a failed load did not touch it.
class Snapshot {
 public:
  explicit Snapshot(const torch::nn::Module& module) {
    for (const auto& [name, tensor] : guard::named_tensors(module)) {
      const bool declared = state_of(tensor) == State::Declared;
      entries_.push_back({name, tensor, tensor.unsafeGetTensorImpl(), tensor.sizes().vec(),
                          tensor.scalar_type(), declared ? std::string() : bits(tensor), declared});
    }
  }

  bool matches(const torch::nn::Module& module) const {
    const Snapshot now(module);
    if (now.entries_.size() != entries_.size()) {
      return false;
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Entry& a = entries_[i];
      const Entry& b = now.entries_[i];
      if (a.name != b.name || a.impl != b.impl || a.sizes != b.sizes || a.dtype != b.dtype ||
          a.bits != b.bits || a.declared != b.declared) {
        return false;
      }
    }
    return true;
  }

 private:
  struct Entry {
    std::string name;
    at::Tensor keep_alive;
    const c10::TensorImpl* impl;
    std::vector<int64_t> sizes;
    c10::ScalarType dtype;
    std::string bits;
    bool declared;
  };
  static std::string bits(const at::Tensor& tensor) {
    const at::Tensor packed = tensor.detach().contiguous();
    return {static_cast<const char*>(packed.const_data_ptr()), packed.nbytes()};
  }
  std::vector<Entry> entries_;
};

}  // namespace metasan::testing
