#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace metasan::checkpoint {

/// The file to read for what a user gave.
struct Source {
  enum class Kind { Safetensors, Index };
  Kind kind;
  std::filesystem::path file;
  std::vector<std::string> warnings;  ///< what is odd about the directory, but does not stop a load
};

/// Finds the weights: `given` is a file, a sharded index (`*.json`), or a directory.
///
/// In a directory the first of these decides; several of one kind, or an index beside a whole
/// `model.safetensors`, are AmbiguousDirectory:
///   1. `model.safetensors.index.json`, or else the only `*.safetensors.index.json`
///   2. `model.safetensors`, or else the only `*.safetensors`
/// Files that an index does not name are never read; see ShardIndex.
///
/// Throws CheckpointError: FileNotFound, EmptyDirectory, NoWeightsFound (listing what is there),
/// AmbiguousDirectory.
Source find_source(const std::filesystem::path& given);

}  // namespace metasan::checkpoint
