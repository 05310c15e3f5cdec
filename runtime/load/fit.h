#pragma once

#include <metasan/load.h>

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/load/slots.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace metasan::load {

/// How a tensor of the module gets its data.
struct Source {
  std::size_t slot;  ///< index into Fit::slots
  std::vector<std::pair<std::string, const checkpoint::Entry*>>
      entries;            ///< for each of its names that is there
  c10::ScalarType dtype;  ///< after the load
};

/// A checkpoint that fits a module.
struct Fit {
  std::vector<Slot> slots;
  std::vector<Source> sources;  ///< tensors with an entry of their own, in the order of the slots
  std::vector<std::optional<std::size_t>>
      owners;                        ///< for each slot the one whose data it has; see find_owners
  std::vector<std::string> missing;  ///< sorted; allowed
  std::vector<std::string> unexpected;  ///< sorted; allowed
};

/// Compares names, shapes, dtypes and layouts; reads no payload and changes nothing. Throws as
/// throw_unless_fits does.
Fit fit_checkpoint(const torch::nn::Module& module, const checkpoint::Checkpoint& checkpoint,
                   const LoadOptions& options, const std::string& op);

}  // namespace metasan::load
