#pragma once

#include "runtime/checkpoint/checkpoint.h"

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <vector>

namespace metasan::load {

/// The LibTorch dtype of a checkpoint dtype; Undefined when LibTorch has none (the 6-bit floats).
c10::ScalarType scalar_type_of(checkpoint::Dtype dtype);

/// The sizes a LibTorch tensor of this entry has. They are those of the file, but for F4, of which
/// LibTorch packs two in one element: the last size halves.
std::vector<std::uint64_t> sizes_of(const checkpoint::Entry& entry);

}  // namespace metasan::load
