#pragma once

#include <metasan/load.h>

#include "runtime/load/fit.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <vector>

namespace metasan::load {

/// For each slot that neither has data nor an entry in the checkpoint, what its construction would
/// have given it, as far as that is known: rotary tables, position ids, a new head. Undefined for
/// every other slot. Nothing is changed. Throws c10::Error when an initializer cannot be replayed.
std::vector<at::Tensor> initial_values(const Fit& fit, const LoadOptions& options,
                                       c10::Device device);

}  // namespace metasan::load
