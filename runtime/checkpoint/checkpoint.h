#pragma once

#include "runtime/checkpoint/dtype.h"
#include "runtime/checkpoint/mapped_file.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace metasan::checkpoint {

/// One tensor of a checkpoint: what it is, and where its bytes are.
struct Entry {
  std::string name;
  Dtype dtype;
  std::vector<std::uint64_t> shape;  ///< logical: an F4 tensor has twice as many elements as bytes
  std::size_t file;                  ///< index into Checkpoint::files()
  std::uint64_t offset;              ///< of its first byte in the file
  std::uint64_t bytes;
};

/// The tensors of a checkpoint, validated, over the mapped files they are in. No payload byte is
/// touched.
///
///     const auto checkpoint = Checkpoint::open("model.safetensors.index.json");
///     for (const Entry& entry : checkpoint.entries()) { ... checkpoint.payload(entry) ... }
class Checkpoint {
 public:
  /// `path` is a file, an index or a directory, see find_source. Throws CheckpointError.
  ///
  /// An index must agree with its shards in both directions: DuplicateTensor for a name in two
  /// shards, IndexShardMismatch for a name that only the index or only a shard has. A wrong
  /// total_size and files that the index does not name are warnings, since the shards themselves
  /// are checked byte for byte.
  static Checkpoint open(const std::filesystem::path& path);

  /// The file, or the index of the shards.
  const std::filesystem::path& path() const { return path_; }
  std::span<const Entry> entries() const { return entries_; }  ///< sorted by name
  std::span<const std::shared_ptr<MappedFile>> files() const { return files_; }
  std::span<const std::string> warnings() const { return warnings_; }

  /// Null when the checkpoint has no such tensor.
  const Entry* find(std::string_view name) const;

  /// The bytes of a tensor, as long as its file is kept.
  std::span<std::byte> payload(const Entry& entry) const;

 private:
  void add_file(const std::filesystem::path& path);

  std::filesystem::path path_;
  std::vector<Entry> entries_;
  std::vector<std::shared_ptr<MappedFile>> files_;
  std::vector<std::string> warnings_;
};

}  // namespace metasan::checkpoint
