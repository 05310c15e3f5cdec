#pragma once

#include <torch/library.h>

#include <source_location>
#include <string>

namespace metasan::guard {

/// A library to register kernels of the dispatch key `key` in, for the operators of `ns`; "_" is
/// all of them. Never destroyed: tensors that need the kernels may outlive static destruction.
torch::Library& permanent_library(const std::string& ns, c10::DispatchKey key,
                                  std::source_location where = std::source_location::current());

}  // namespace metasan::guard
