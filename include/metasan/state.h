#pragma once

#include <metasan/export.h>
#include <metasan/module_ref.h>

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace metasan {

/// The materialization state of a tensor.
enum class State : std::uint8_t {
  Declared,       ///< shape and dtype, no storage (a meta tensor)
  Uninitialized,  ///< memory that was not written in full since `to_empty` allocated it
  Offloaded,      ///< its values are kept elsewhere, and fetched by each operator that needs them
  Materialized,   ///< an ordinary tensor with data, dispatched or not
};

METASAN_API std::string_view to_string(State state);

/// The state of a tensor. Throws c10::Error when it is undefined. Thread safe.
METASAN_API State state_of(const at::Tensor& tensor);

/// The join over all parameters and buffers: the first of the states, in the order above, that one
/// of them is in. A module without tensors is Materialized.
METASAN_API State state_of(ModuleRef module);

/// Where a tensor comes from, as far as MetaSan saw it; fields are empty when nothing is known.
struct Provenance {
  std::string name;  ///< fully qualified, "encoder.layer.0.weight"; empty until the module is known
  std::string scope;  ///< "file:line" of the InitEmptyWeights it was declared under
  std::string
      declared_at;  ///< "function at file:line": the frame outside LibTorch that declared it
  std::string requested_device;  ///< the explicit device that the scope overrode: "cpu"
};

/// Empty for a tensor that was never declared under a scope, and for one that has been materialized
/// since.
METASAN_API Provenance provenance_of(const at::Tensor& tensor);

}  // namespace metasan
