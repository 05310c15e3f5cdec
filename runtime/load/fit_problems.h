#pragma once

#include "runtime/checkpoint/checkpoint.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace metasan::load {

/// What does not fit between a module and a checkpoint, all of it, for one message.
struct FitProblems {
  struct Missing {
    std::string name;  ///< the first name of the tensor
    at::Tensor tensor;
  };
  struct Wrong {
    std::string name;
    std::string what;     ///< "is [2, 3] in the module, [3, 2] in the checkpoint"
    bool no_torch_dtype;  ///< LibTorch has no such dtype
  };
  std::vector<Missing> missing;         ///< in the module only, and not allowed to be
  std::vector<std::string> unexpected;  ///< in the checkpoint only, and not allowed to be
  std::vector<Wrong> wrong;             ///< in both, with another shape, dtype or layout

  std::vector<std::string> all_missing;     ///< every name that only the module has; for hints
  std::vector<std::string> all_unexpected;  ///< every name that only the checkpoint has; for hints
};

/// Returns when there is no problem. Otherwise throws one error with all of them:
///   - MetaTensorError (`weights-missing`) when missing names are the only problem, and some of the
///   tensors are declared
///   - CheckpointError (UnsupportedDtype) when dtypes that LibTorch lacks are the only problem
///   - CheckpointError (Mismatch) otherwise
/// `op` is the function that the report names: "metasan::load_checkpoint_in_model".
void throw_unless_fits(const FitProblems& problems, const checkpoint::Checkpoint& checkpoint,
                       const std::string& op);

}  // namespace metasan::load
