#include "runtime/checkpoint/checkpoint.h"

#include "runtime/checkpoint/discovery.h"
#include "runtime/checkpoint/error.h"
#include "runtime/checkpoint/safetensors.h"
#include "runtime/checkpoint/shard_index.h"
#include "runtime/options/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <system_error>
#include <utility>

namespace metasan::checkpoint {
namespace fs = std::filesystem;
namespace {

/// Throws when the index (sorted) and the headers (sorted, without duplicates) name different
/// tensors.
void compare_with_index(const ShardIndex& index, std::span<const Entry> entries,
                        const fs::path& path) {
  std::vector<std::string> absent;    // in the index, not in the shard it names
  std::vector<std::string> unlisted;  // in a shard, not in the index
  auto listed = index.entries.begin();
  auto found = entries.begin();
  while (listed != index.entries.end() || found != entries.end()) {
    const bool has_listed = listed != index.entries.end();
    const bool has_found = found != entries.end();
    if (has_listed && (!has_found || listed->name < found->name)) {
      absent.push_back(listed++->name);
    } else if (has_found && (!has_listed || found->name < listed->name)) {
      unlisted.push_back(found++->name);
    } else {
      if (listed->shard != found->file) {
        absent.push_back(listed->name);
      }
      ++listed;
      ++found;
    }
  }
  if (absent.empty() && unlisted.empty()) {
    return;
  }
  std::string what;
  if (!absent.empty()) {
    what += fmt::format("{} tensors of the index are not in the shard that it names: {}",
                        absent.size(), quote_list(absent));
  }
  if (!unlisted.empty()) {
    what += fmt::format("{}{} tensors of the shards are not in the index: {}",
                        what.empty() ? "" : "; ", unlisted.size(), quote_list(unlisted));
  }
  fail(CheckpointErrorCode::IndexShardMismatch, path,
       absent.empty() ? unlisted.front() : absent.front(),
       what + "; the index and the shards are of different versions, get all of them again");
}

void reject_duplicates(std::span<const Entry> sorted, std::span<const fs::path> shards,
                       const fs::path& path) {
  const auto it = std::ranges::adjacent_find(sorted, {}, &Entry::name);
  if (it != sorted.end()) {
    fail(CheckpointErrorCode::DuplicateTensor, path, it->name,
         fmt::format("tensor {} is in two shards, '{}' and '{}'; the shards are of different "
                     "versions, get all of them "
                     "again",
                     quote(it->name), shards[it->file].filename().string(),
                     shards[(it + 1)->file].filename().string()));
  }
}

/// Weight files beside the index that it does not name: a user may think that they are loaded.
std::vector<std::string> stray_files(const ShardIndex& index, const fs::path& path) {
  std::vector<std::string> stray;
  std::error_code error;
  for (fs::directory_iterator it(path.has_parent_path() ? path.parent_path() : ".", error), end;
       !error && it != end; it.increment(error)) {
    const fs::path name = it->path().filename();
    if (name.extension() == ".safetensors" &&
        std::ranges::none_of(index.shards,
                             [&](const fs::path& shard) { return shard.filename() == name; })) {
      stray.push_back(name.string());
    }
  }
  std::ranges::sort(stray);
  return stray;
}

}  // namespace

Checkpoint Checkpoint::open(const fs::path& path) {
  Source source = find_source(path);
  Checkpoint checkpoint;
  checkpoint.path_ = source.file;
  checkpoint.warnings_ = std::move(source.warnings);
  if (source.kind == Source::Kind::Safetensors) {
    checkpoint.add_file(source.file);
    return checkpoint;
  }

  const ShardIndex index = read_shard_index(source.file);
  for (const fs::path& shard : index.shards) {
    checkpoint.add_file(shard);
  }
  std::ranges::sort(checkpoint.entries_, {}, &Entry::name);
  reject_duplicates(checkpoint.entries_, index.shards, source.file);
  compare_with_index(index, checkpoint.entries_, source.file);

  const std::uint64_t total =
      std::accumulate(checkpoint.entries_.begin(), checkpoint.entries_.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const Entry& entry) { return sum + entry.bytes; });
  if (index.total_size && *index.total_size != total) {
    checkpoint.warnings_.push_back(
        fmt::format("'{}' says total_size {}, its shards have {} bytes of tensors",
                    source.file.string(), *index.total_size, total));
  }
  if (const std::vector<std::string> stray = stray_files(index, source.file); !stray.empty()) {
    checkpoint.warnings_.push_back(
        fmt::format("'{}' does not name {}; not read", source.file.string(), quote_list(stray)));
  }
  return checkpoint;
}

void Checkpoint::add_file(const fs::path& path) {
  std::shared_ptr<MappedFile> file = MappedFile::open(path);
  SafetensorsHeader header = read_safetensors_header(file->bytes(), path);
  entries_.reserve(entries_.size() + header.tensors.size());
  for (FileTensor& tensor : header.tensors) {
    entries_.push_back({std::move(tensor.name), tensor.dtype, std::move(tensor.shape),
                        files_.size(), header.payload + tensor.begin, tensor.end - tensor.begin});
  }
  files_.push_back(std::move(file));
}

const Entry* Checkpoint::find(std::string_view name) const {
  const auto it = std::ranges::lower_bound(entries_, name, {}, &Entry::name);
  return it != entries_.end() && it->name == name ? &*it : nullptr;
}

std::span<std::byte> Checkpoint::payload(const Entry& entry) const {
  return files_[entry.file]->bytes().subspan(entry.offset, entry.bytes);
}

}  // namespace metasan::checkpoint
