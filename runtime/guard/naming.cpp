#include "runtime/guard/naming.h"

#include "runtime/guard/raw_access.h"
#include "runtime/guard/record.h"

#include <atomic>

namespace metasan::guard {
namespace {

std::atomic<void (*)(const torch::nn::Module&)> named_listener{nullptr};

}  // namespace

std::vector<std::pair<std::string, at::Tensor>> named_tensors(const torch::nn::Module& module) {
  std::vector<std::pair<std::string, at::Tensor>> tensors;
  for (const auto& list : {module.named_parameters(), module.named_buffers()}) {
    for (const auto& item : list) {
      if (item.value().defined()) {
        tensors.emplace_back(item.key(), item.value());
      }
    }
  }
  return tensors;
}

void name_tensors(const torch::nn::Module& module) {
  for (const auto& [name, tensor] : named_tensors(module)) {
    if (const auto record = record_of(tensor); record && record->name().empty()) {
      record->set_name(name);
      forbid_raw_access(*tensor.storage().unsafeGetStorageImpl(), *record, tensor);
    }
  }
}

void on_named(void (*listener)(const torch::nn::Module& module)) {
  named_listener = listener;
}

void tell_named(const torch::nn::Module& module) {
  if (auto* listener = named_listener.load()) {
    listener(module);
  }
}

}  // namespace metasan::guard
