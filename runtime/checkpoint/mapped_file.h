#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace metasan::checkpoint {

/// A file in memory, mapped privately: writes stay in this process and never reach the file. Pages
/// are read when they are first touched. What shares the mapping keeps the MappedFile alive.
///
/// The size is taken once, before mapping: a file that is truncated while it is mapped raises
/// SIGBUS on access.
class MappedFile {
 public:
  /// Throws CheckpointError: FileNotFound (with the nearest existing name) or IoError.
  static std::shared_ptr<MappedFile> open(const std::filesystem::path& path);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::span<std::byte> bytes() { return {data_, size_}; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  MappedFile(std::filesystem::path path, std::byte* data, std::size_t size);

  std::filesystem::path path_;
  std::byte* data_;
  std::size_t size_;
};

}  // namespace metasan::checkpoint
