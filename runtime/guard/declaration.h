#pragma once

#include <cstddef>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

namespace metasan::guard {

/// Where a tensor was declared. Immutable once made; the stack is raw addresses, symbolized only
/// for a report.
struct Declaration {
  std::source_location scope;  ///< the InitEmptyWeights it was declared under
  std::string op;              ///< the factory operator: "aten::empty.memory_format"
  std::string
      overridden_device;     ///< the explicit device the scope overrode; empty when there was none
  std::vector<void*> stack;  ///< return addresses, innermost first
};
using DeclarationPtr = std::shared_ptr<const Declaration>;

inline constexpr std::size_t kMostFrames = 256 + 32;

/// The return addresses of the caller's stack, innermost first: at most `limit`, and `kMostFrames`.
std::vector<void*> capture_stack(std::size_t limit);
/// As many as option stack_depth asks for, and those of LibTorch in between.
std::vector<void*> capture_stack();

}  // namespace metasan::guard
