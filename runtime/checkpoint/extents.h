#pragma once

#include "runtime/checkpoint/safetensors.h"

namespace metasan::checkpoint {

/// Checks that the byte ranges of the tensors fit their dtypes and shapes, and together cover the
/// payload exactly: no overlap, no hole, and the last one ends where the file ends.
void check_extents(const SafetensorsHeader& header, std::uint64_t file_size,
                   const std::filesystem::path& path);

}  // namespace metasan::checkpoint
