#pragma once

#include <metasan/export.h>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <cstdint>

namespace metasan::guard {

/// Every operator that is called under the empty scope or with a declared tensor arrives here
/// first.
void declared_fallback(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                       torch::jit::Stack* stack);

/// How often a fallback of MetaSan ran in this thread. A model whose weights are loaded never adds
/// to it, which the benchmark of the guard shows; exported for that.
METASAN_API std::uint64_t fallback_hits();

}  // namespace metasan::guard
