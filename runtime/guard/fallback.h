#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace metasan::guard {

/// Every operator that is called under the empty scope or with a declared tensor arrives here
/// first.
void declared_fallback(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                       torch::jit::Stack* stack);

}  // namespace metasan::guard
