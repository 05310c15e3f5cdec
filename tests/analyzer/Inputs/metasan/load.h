#pragma once
#include <torch/torch.h>

namespace metasan {
class ModuleRef {
public:
  ModuleRef(torch::nn::Module &module);
  template <class M> ModuleRef(const std::shared_ptr<M> &module);
  template <class M> ModuleRef(const torch::nn::ModuleHolder<M> &holder);
};
class DeviceMap {
public:
  DeviceMap(c10::Device);
  DeviceMap(c10::DeviceType);
};
struct LoadOptions {};
struct LoadReport {};
LoadReport load_checkpoint_in_model(ModuleRef, const std::filesystem::path &, const LoadOptions & = {});
LoadReport load_checkpoint_and_dispatch(ModuleRef, const std::filesystem::path &,
                                        const DeviceMap & = c10::kCPU, const LoadOptions & = {});
} // namespace metasan
