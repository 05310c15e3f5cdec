#pragma once

#include <metasan/load.h>

#include <string>

namespace metasan::load {

/// load_checkpoint_in_model with a device; `op` is the public function that reports name.
LoadReport load_checkpoint(torch::nn::Module& module, const std::filesystem::path& path,
                           const LoadOptions& options, c10::Device device, const std::string& op);

}  // namespace metasan::load
