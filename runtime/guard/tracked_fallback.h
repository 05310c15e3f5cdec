#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace metasan::guard {

/// Every operator that is called with an uninitialized or an offloaded tensor arrives here, below
/// autograd.
void tracked_fallback(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                      torch::jit::Stack* stack);

}  // namespace metasan::guard
