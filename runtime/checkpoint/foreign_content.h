#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace metasan::checkpoint {

/// Throws LfsPointer, with the size and the hash that the pointer promises, when the file is one.
void reject_lfs_pointer(std::span<const std::byte> file, const std::filesystem::path& path);

/// Throws UnsupportedFormat when the first bytes are those of another kind of file: a zip archive
/// (.bin, .pt), a pickle, GGUF, HDF5, JSON or an HTML page. To be called once the file is known not
/// to be safetensors.
void reject_foreign_format(std::span<const std::byte> file, const std::filesystem::path& path);

}  // namespace metasan::checkpoint
