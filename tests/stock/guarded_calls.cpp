// Linked beside MetaSan: says at the end how many operators went through the guard.
#include "runtime/guard/hits.h"

#include <cstdio>
#include <cstdlib>

namespace {

[[maybe_unused]] const bool installed =
    std::atexit([] {
      std::fprintf(stderr, "guarded calls: %llu\n",
                   static_cast<unsigned long long>(metasan::guard::fallback_hits()));
    }) == 0;

}  // namespace
