#pragma once

#include "runtime/checkpoint/dtype.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace metasan::checkpoint {

/// The longest header that is accepted, in bytes; the limit of the safetensors reader.
constexpr std::uint64_t kLongestHeader = 100'000'000;

/// One tensor of a file.
struct FileTensor {
  std::string name;
  Dtype dtype;
  std::vector<std::uint64_t> shape;  ///< logical: an F4 tensor has twice as many elements as bytes
  std::uint64_t begin;               ///< of its first byte, from the beginning of the payload
  std::uint64_t end;                 ///< one past its last byte
};

struct SafetensorsHeader {
  std::uint64_t payload;            ///< where the payload begins in the file
  std::vector<FileTensor> tensors;  ///< sorted by name
};

/// Reads and validates the header of a safetensors file, and touches no payload.
///
/// The format: 8 bytes, little endian, the length N of the header; N bytes of JSON; the payload,
/// packed. The header is an object from names to `{"dtype": "F32", "shape": [2, 3], "data_offsets":
/// [begin, end]}`, offsets from the beginning of the payload, and may have `__metadata__`, an
/// object of strings.
///
/// Every file that safetensors 0.8.0 accepts is accepted, but for three that are ambiguous or
/// against its own specification: a tensor name that occurs twice (DuplicateTensor), a tensor given
/// as an array instead of an object, and whitespace before the header. Trailing whitespace, unknown
/// fields of a tensor, absent, empty and null
/// `__metadata__`, unaligned tensors and any name are fine.
///
/// Throws CheckpointError; the codes are checked in the order of checkpoint_errors.def.
SafetensorsHeader read_safetensors_header(std::span<const std::byte> file,
                                          const std::filesystem::path& path);

}  // namespace metasan::checkpoint
