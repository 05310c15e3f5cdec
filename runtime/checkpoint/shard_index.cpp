#include "runtime/checkpoint/shard_index.h"

#include "runtime/checkpoint/error.h"
#include "runtime/checkpoint/foreign_content.h"
#include "runtime/checkpoint/json.h"
#include "runtime/checkpoint/mapped_file.h"
#include "runtime/options/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <system_error>

namespace metasan::checkpoint {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail_index(const fs::path& path, const std::string& what) {
  fail(CheckpointErrorCode::IndexInvalid, path, "",
       fmt::format("the index is not what sharded checkpoints have: {}; write or download it again",
                   what));
}

/// Throws unless `shard` is a relative path that stays in the directory of the index and is a
/// .safetensors file.
void check_shard_name(std::string_view shard, std::string_view tensor, const fs::path& index) {
  const fs::path path(shard);
  const bool has_drive = shard.size() > 1 && shard[1] == ':';
  const bool goes_up = std::ranges::find(path, fs::path("..")) != path.end();
  if (path.is_absolute() || has_drive || goes_up || shard.find('\\') != std::string_view::npos ||
      shard.find('\0') != std::string_view::npos) {
    fail(CheckpointErrorCode::UnsafePath, index, std::string(tensor),
         fmt::format("tensor {} is said to be in {}, a path outside the directory of the index; do "
                     "not load this "
                     "checkpoint unless its origin is trusted and the path is corrected",
                     quote(tensor), quote(shard)));
  }
  if (path.extension() != ".safetensors") {
    fail(CheckpointErrorCode::UnsupportedFormat, index, std::string(tensor),
         fmt::format("tensor {} is said to be in {}; MetaSan reads .safetensors shards only",
                     quote(tensor), quote(shard)));
  }
}

/// The object that maps names to files: `weight_map`, or the whole index when it has none.
simdjson::dom::object find_weight_map(simdjson::dom::element root, const fs::path& path) {
  simdjson::dom::object object;
  if (root.get(object) != simdjson::SUCCESS) {
    fail_index(path, "it is not an object");
  }
  simdjson::dom::element value;
  if (object["weight_map"].get(value) != simdjson::SUCCESS) {
    return object;
  }
  simdjson::dom::object map;
  if (value.get(map) != simdjson::SUCCESS) {
    fail_index(path, "weight_map is not an object");
  }
  return map;
}

/// Absent when the index has none, or has something else than a number there: writers differ.
std::optional<std::uint64_t> find_total_size(simdjson::dom::element root) {
  simdjson::dom::element value;
  if (root["metadata"]["total_size"].get(value) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  std::uint64_t exact = 0;
  if (value.get(exact) == simdjson::SUCCESS) {
    return exact;
  }
  double rounded = 0;  // some writers divide by 8 bits and store 1.2e10
  if (value.get(rounded) == simdjson::SUCCESS && rounded >= 0 && rounded < 0x1p53) {
    return static_cast<std::uint64_t>(rounded);
  }
  return std::nullopt;
}

void reject_duplicates(const ShardIndex& index, const fs::path& path) {
  const auto it = std::ranges::adjacent_find(index.entries, {}, &ShardIndex::Entry::name);
  if (it != index.entries.end()) {
    fail(CheckpointErrorCode::DuplicateTensor, path, it->name,
         fmt::format("tensor {} occurs twice in the index, in '{}' and '{}'; write the index again",
                     quote(it->name), index.shards[it->shard].filename().string(),
                     index.shards[(it + 1)->shard].filename().string()));
  }
}

void reject_missing(const ShardIndex& index, const fs::path& path) {
  std::vector<std::string> missing;
  for (const fs::path& shard : index.shards) {
    std::error_code error;
    if (!fs::exists(shard, error)) {
      missing.push_back(shard.lexically_relative(path.parent_path()).string());
    }
  }
  if (!missing.empty()) {
    fail(CheckpointErrorCode::MissingShard, path, "",
         fmt::format("{} of {} shards are missing: {}; download them beside the index",
                     missing.size(), index.shards.size(), quote_list(missing)));
  }
}

}  // namespace

ShardIndex read_shard_index(const fs::path& path) {
  const std::shared_ptr<MappedFile> file = MappedFile::open(path);
  reject_lfs_pointer(file->bytes(), path);
  const JsonDocument document(file->bytes(), file->bytes().size());
  if (!document.error().empty()) {
    fail_index(path, fmt::format("not valid JSON, {}", document.error()));
  }
  const simdjson::dom::object map = find_weight_map(document.root(), path);

  ShardIndex index;
  index.total_size = find_total_size(document.root());
  index.entries.reserve(map.size());
  std::map<std::string, std::size_t, std::less<>> shard_ids;
  for (const auto [name, value] : map) {
    std::string_view shard;
    if (value.get(shard) != simdjson::SUCCESS) {
      fail_index(path, fmt::format("the file of tensor {} is not a string", quote(name)));
    }
    if (!is_unicode(name) || !is_unicode(shard)) {
      fail_index(path, "a name has a lone surrogate");
    }
    auto it = shard_ids.find(shard);
    if (it == shard_ids.end()) {
      check_shard_name(shard, name, path);
      it = shard_ids.emplace(shard, shard_ids.size()).first;
    }
    index.entries.push_back({std::string(name), it->second});
  }
  if (index.entries.empty()) {
    fail_index(path, "it names no tensor");
  }
  index.shards.resize(shard_ids.size());
  for (const auto& [shard, id] : shard_ids) {
    index.shards[id] = path.parent_path() / shard;
  }
  std::ranges::sort(index.entries, {}, &ShardIndex::Entry::name);
  reject_duplicates(index, path);
  reject_missing(index, path);
  return index;
}

}  // namespace metasan::checkpoint
