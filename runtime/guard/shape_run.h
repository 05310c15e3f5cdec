#pragma once

#include "runtime/guard/call.h"

namespace metasan::guard {

/// For an operator without a Meta kernel (where, randperm, triu_indices, ...) called inside the
/// empty scope: runs it once on CPU stand-ins, with the random state saved, for the shapes of its
/// results, and leaves meta tensors of these shapes on the stack. `arguments` are the call's, as
/// they were before it ran. False, with nothing done, when that cannot tell the shapes: an argument
/// is written or aliased.
bool run_for_shapes(Call& call, torch::jit::Stack arguments);

}  // namespace metasan::guard
