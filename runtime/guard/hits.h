#pragma once

#include <metasan/export.h>

#include <cstdint>

namespace metasan::guard {

/// How often a fallback of MetaSan ran in this thread. A model whose weights are loaded never adds
/// to it, which the benchmark of the guard shows; exported for that.
METASAN_API std::uint64_t fallback_hits();

void count_hit();

}  // namespace metasan::guard
