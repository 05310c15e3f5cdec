#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace metasan::checkpoint {

/// The element types of safetensors, from dtypes.def.
enum class Dtype : std::uint8_t {
#define METASAN_DTYPE(Name, ...) Name,
#include "runtime/checkpoint/dtypes.def"
};

std::string_view to_string(Dtype dtype);
std::optional<Dtype> dtype_from_name(std::string_view name);

/// The size of one element in bits: 4 for F4, 6 for the F6 types.
std::uint64_t bits_of(Dtype dtype);

}  // namespace metasan::checkpoint
