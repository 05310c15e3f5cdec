#pragma once

#include <metasan/load.h>

#include <optional>
#include <string>

namespace metasan::load {

/// load_checkpoint_in_model onto a device; without one each tensor that has data stays on its own,
/// and the others go to the CPU. `op` is the public function that reports name.
LoadReport load_checkpoint(torch::nn::Module& module, const std::filesystem::path& path,
                           const LoadOptions& options, std::optional<c10::Device> device,
                           const std::string& op);

}  // namespace metasan::load
