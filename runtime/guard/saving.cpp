// `torch::save` and its relatives write nothing for a tensor without data, silently. LibTorch's
// pickler lets each backend add to what is said of a tensor; this is where MetaSan sees what is
// saved.
#include <metasan/state.h>

#include "runtime/guard/record.h"
#include "runtime/guard/uninitialized.h"
#include "runtime/guard/violation.h"

#include <metasan/options.h>

#include <torch/csrc/jit/serialization/pickler_helper.h>

namespace metasan::guard {
namespace {

using Metadata = std::unordered_map<std::string, bool>;

constexpr const char* kSave = "torch::save";

void check_saved(const at::Tensor& tensor, Metadata&) {
  const auto record = record_of(tensor);
  if (tensor.numel() == 0 || (!record && !(tensor.is_meta() && options().guard_meta))) {
    return;
  }
  Violation violation{.rule = Rule::MetaSaved, .op = kSave, .tensors = {facts_of(tensor)}};
  switch (state_of(tensor)) {
    case State::Declared:
      violation.detail = "the file would say its shape and dtype, and hold no values\n";
      break;
    case State::Offloaded:
      violation.detail = "its values are kept elsewhere, and would not be in the file\n";
      break;
    case State::Uninitialized:
      violation.rule = Rule::UninitializedRead;
      violation.detail = "the file would hold whatever was in memory\n";
      break;
    case State::Materialized:
      return;
  }
  report(violation);
}

void nothing_to_restore(const at::Tensor&, Metadata&) {}

[[maybe_unused]] const bool registered = [] {
  for (const auto device : {c10::kMeta, c10::kCPU, c10::kCUDA}) {
    torch::jit::GetBackendMetaAllowlist().insert(device);
    if (!torch::jit::GetBackendMetaSerialization()[static_cast<std::size_t>(device)]) {
      torch::jit::TensorBackendMetaRegistry(device, check_saved, nothing_to_restore);
    }
  }
  return true;
}();

}  // namespace
}  // namespace metasan::guard
