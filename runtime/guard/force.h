#pragma once

#include "runtime/guard/call.h"

namespace metasan::guard {

/// For a call inside the empty scope that needs the values of declared tensors, as
/// `linspace(0, 1, 4)[2].item()` does: replays their history on the spot and runs the call on the
/// values. False, with nothing done, when a value is drawn at random (it will be another one in the
/// end), when the history is not known, or when the call writes to a declared tensor.
bool run_on_forced_values(Call& call);

}  // namespace metasan::guard
