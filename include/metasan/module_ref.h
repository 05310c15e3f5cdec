#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <memory>
#include <type_traits>

namespace metasan {

/// A module as an argument: what every entry point takes, so that each accepts a
/// `torch::nn::Module&`, a `ModuleHolder` (`torch::nn::Linear`, anything from TORCH_MODULE) or a
/// `std::shared_ptr` to a module.
///
/// It refers to the module and does not own it: use it as a parameter, do not keep it.
/// Throws c10::Error when the holder or the pointer is empty.
class ModuleRef {
 public:
  ModuleRef(torch::nn::Module& module) : module_(&module) {}  // NOLINT(google-explicit-constructor)

  template <typename M, typename = std::enable_if_t<std::is_base_of_v<torch::nn::Module, M>>>
  ModuleRef(const std::shared_ptr<M>& module)  // NOLINT(google-explicit-constructor)
      : module_(module.get()) {
    TORCH_CHECK(module_ != nullptr, "MetaSan: the shared_ptr to a module is empty");
  }

  template <typename M>
  ModuleRef(const torch::nn::ModuleHolder<M>& holder)  // NOLINT(google-explicit-constructor)
      : module_(holder.ptr().get()) {}

  torch::nn::Module& operator*() const { return *module_; }
  torch::nn::Module* operator->() const { return module_; }

 private:
  torch::nn::Module* module_;
};

}  // namespace metasan
