#pragma once

#include "runtime/guard/call.h"

namespace metasan::guard {

/// For an operator without a Meta kernel (where, randperm, index_put_, ...) called inside the empty
/// scope: leaves what it would return on the stack, as meta tensors. One that returns new tensors
/// is run once on CPU stand-ins, with the random state saved, for their shapes; one that works in
/// place returns its first argument. `arguments` are the call's, as they were before it ran. False,
/// with nothing done, when that cannot tell the results: they are views, or numbers.
bool run_for_shapes(Call& call, torch::jit::Stack arguments);

}  // namespace metasan::guard
