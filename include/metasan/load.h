#pragma once

#include <metasan/device_map.h>
#include <metasan/export.h>
#include <metasan/module_ref.h>

#include <c10/core/ScalarType.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace metasan {

/// How a checkpoint is loaded; use with designated initializers: `{.dtype = torch::kBFloat16}`.
struct LoadOptions {
  /// Floating-point tensors are cast to it. Unset: each tensor keeps the dtype its module declares.
  /// Integers are only ever widened to the declared dtype; every other difference of dtypes is an
  /// error.
  std::optional<c10::ScalarType> dtype = std::nullopt;
  /// Floating-point tensors take the dtype they have in the checkpoint. Not together with `dtype`.
  bool checkpoint_dtype = false;
  /// True: a name that only the checkpoint or only the module has is an error. False: LoadReport
  /// lists it, and a tensor that has data keeps them; one without data is an error all the same,
  /// unless it is in `allow_missing`.
  bool strict = true;
  /// Names the checkpoint may lack, exact or with `*` for any run of characters. Those tensors keep
  /// the data they have; ones that were declared under a scope get the initial values that their
  /// construction would have given them (rotary tables, position ids, a new head), in the dtype
  /// they would be loaded with; others without data stay so.
  std::vector<std::string> allow_missing = {};
  /// Names the module may lack, exact or with `*`, also when strict.
  std::vector<std::string> allow_unexpected = {};
};

/// What a load did.
struct LoadReport {
  struct Cast {
    std::string name;
    c10::ScalarType from;
    c10::ScalarType to;
  };
  std::vector<std::string> loaded;       ///< names in the module, sorted; tied names are all listed
  std::vector<std::string> missing;      ///< allowed to be missing, and missing
  std::vector<std::string> initialized;  ///< of these, declared ones that got their initial values
  std::vector<std::string> unexpected;   ///< in the checkpoint, not in the module
  std::vector<Cast> casts;               ///< loaded with another dtype than the checkpoint's
  std::vector<std::string> warnings;  ///< what is odd, but does not stop the load: files that the
                                      ///< index does not name, ...
  std::size_t bytes = 0;         ///< payload bytes of the loaded tensors, as stored; tied ones once
  std::size_t bytes_mapped = 0;  ///< of these, bytes shared with the file mapping, not copied
};

/// Loads a checkpoint into a module, in place: every parameter and buffer object stays the same
/// object, so aliases, ties and optimizers made earlier see the data. Declared tensors get storage
/// on the CPU. Materialized ones stay on their device: on the CPU their storage is replaced,
/// elsewhere the data are copied into it.
///
/// `checkpoint` is a `.safetensors` file, a sharded `.safetensors.index.json`, or a directory that
/// holds one of them. Everything is checked first (names, shapes, dtypes, offsets, file sizes); a
/// load either happens or does not. Tied tensors (one object, or one storage) are loaded once and
/// stay tied; the checkpoint may have any of their names. Aligned tensors on the CPU share a
/// private mapping of the file: do not truncate the file while they live.
///
/// Throws CheckpointError, with all mismatches in one message, before the module is changed;
/// MetaTensorError
/// (`weights-missing`) when the checkpoint lacks tensors that would stay without data. Not thread
/// safe for one module.
METASAN_API LoadReport load_checkpoint_in_model(ModuleRef module,
                                                const std::filesystem::path& checkpoint,
                                                const LoadOptions& options = {});

/// The same, onto the device of `device_map`: tensors that the checkpoint was allowed to lack are
/// moved there too. Throws c10::Error, before anything is read, when the map does not fit the
/// module or names a device that is not there.
///
///     auto report = metasan::load_checkpoint_and_dispatch(model, "model.safetensors",
///     torch::kCPU);
METASAN_API LoadReport load_checkpoint_and_dispatch(ModuleRef module,
                                                    const std::filesystem::path& checkpoint,
                                                    const DeviceMap& device_map = torch::kCPU,
                                                    const LoadOptions& options = {});

}  // namespace metasan
