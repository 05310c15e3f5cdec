#pragma once

#include <metasan/export.h>
#include <metasan/load.h>
#include <metasan/module_ref.h>

#include <filesystem>

namespace metasan {

/// Tells MetaSan where the values of a module are, and loads none of them.
///
///     auto model = metasan::init_empty_weights([] { return torch::nn::Linear(4096, 16384); });
///     metasan::bind_checkpoint(model, "model.safetensors");
///
/// Reports about its tensors then say what the checkpoint has under their names. With
/// `action=heal` (METASAN_OPTIONS, or Options::action), a call that needs a tensor without data
/// loads it and goes on, on the device that the call needs it on: the first `forward` loads the
/// weights it uses, and `model->to(device)` becomes a load onto that device. Each place in the code
/// where that happens is reported once, with the way to do without.
///
/// Names may be missing on either side; shapes and dtypes must fit, by `options`: throws
/// CheckpointError, as load_checkpoint_in_model does, and nothing is bound. The files must stay as
/// they are while the module lives. Not thread safe for one module, and neither is a call that
/// loads: a module that several threads share is loaded before.
METASAN_API void bind_checkpoint(ModuleRef module, const std::filesystem::path& checkpoint,
                                 const LoadOptions& options = {});

}  // namespace metasan
