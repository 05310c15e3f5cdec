#include "runtime/guard/hits.h"

namespace metasan::guard {
namespace {

thread_local std::uint64_t hits = 0;

}  // namespace

std::uint64_t fallback_hits() {
  return hits;
}

void count_hit() {
  ++hits;
}

}  // namespace metasan::guard
