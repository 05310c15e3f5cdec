#include "runtime/guard/declaration.h"

#include <execinfo.h>

#include <algorithm>
#include <array>

namespace metasan::guard {

std::vector<void*> capture_stack(std::size_t limit) {
  constexpr std::size_t kOwnFrames = 1;  // this function
  std::array<void*, 128> frames;
  const auto wanted = std::min(limit + kOwnFrames, frames.size());
  const auto found = static_cast<std::size_t>(backtrace(frames.data(), static_cast<int>(wanted)));
  // Not in braces, which would make a vector of the two iterators.
  return std::vector<void*>(frames.begin() + std::min(kOwnFrames, found), frames.begin() + found);
}

}  // namespace metasan::guard
