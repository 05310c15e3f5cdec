#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace metasan::checkpoint {

/// A sharded index, `{"metadata": {"total_size": N}, "weight_map": {name: file}}`: which file has
/// each tensor.
struct ShardIndex {
  struct Entry {
    std::string name;
    std::size_t shard;  ///< index into `shards`
  };
  std::vector<Entry> entries;                 ///< sorted by name
  std::vector<std::filesystem::path> shards;  ///< in or below the directory of the index
  std::optional<std::uint64_t> total_size;    ///< payload bytes, as the index has them
};

/// Reads an index and checks it by itself, before a shard is opened. A bare map from names to
/// files, without `weight_map`, is accepted.
///
/// Throws CheckpointError: LfsPointer, IndexInvalid, DuplicateTensor (a name twice), UnsafePath
/// (absolute, with a drive or with ".."), UnsupportedFormat (a shard that is no .safetensors file),
/// MissingShard (all that are missing).
ShardIndex read_shard_index(const std::filesystem::path& path);

}  // namespace metasan::checkpoint
