#pragma once

#include "runtime/guard/call.h"

namespace metasan::guard {

/// Sends the operators of this thread through the fallback while it is inside an empty-weights
/// scope; with track_all or track_empty, outside too.
void enter_scope_key();
void leave_scope_key();

/// With track_all: the meta tensors among the arguments of a call come under guard, whoever made
/// them.
void guard_meta_arguments(const c10::OperatorHandle& op, torch::jit::Stack& stack);

/// With track_empty: memory that the call allocated, whose results are on its stack, is tracked
/// until it is written.
void track_allocations(Call& call);

}  // namespace metasan::guard
