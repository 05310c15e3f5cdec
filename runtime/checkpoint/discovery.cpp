#include "runtime/checkpoint/discovery.h"

#include "runtime/checkpoint/error.h"
#include "runtime/checkpoint/not_found.h"
#include "runtime/options/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

namespace metasan::checkpoint {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kIndexSuffix = ".safetensors.index.json";
constexpr std::string_view kFileSuffix = ".safetensors";
constexpr std::string_view kIndexName = "model.safetensors.index.json";
constexpr std::string_view kFileName = "model.safetensors";

std::vector<std::string> sorted_names(const fs::path& directory) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  if (error) {
    fail(CheckpointErrorCode::IoError, directory, "",
         fmt::format("cannot list it: {}", error.message()));
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> with_suffix(const std::vector<std::string>& names,
                                     std::string_view suffix) {
  std::vector<std::string> found;
  std::ranges::copy_if(names, std::back_inserter(found),
                       [&](const std::string& name) { return name.ends_with(suffix); });
  return found;
}

[[noreturn]] void fail_ambiguous(const fs::path& directory,
                                 const std::vector<std::string>& candidates) {
  fail(CheckpointErrorCode::AmbiguousDirectory, directory, "",
       fmt::format("it has several checkpoints: {}; give the path of the one that is meant",
                   quote_list(candidates)));
}

/// The preferred name when it is there, else the only one; several are ambiguous.
std::string choose(const fs::path& directory, const std::vector<std::string>& candidates,
                   std::string_view preferred) {
  if (std::ranges::find(candidates, preferred) != candidates.end()) {
    return std::string(preferred);
  }
  if (candidates.size() > 1) {
    fail_ambiguous(directory, candidates);
  }
  return candidates.front();
}

Source find_in_directory(const fs::path& directory) {
  const std::vector<std::string> names = sorted_names(directory);
  if (names.empty()) {
    fail(CheckpointErrorCode::EmptyDirectory, directory, "",
         "the directory is empty; download the checkpoint into it, or give another path");
  }
  const std::vector<std::string> indexes = with_suffix(names, kIndexSuffix);
  const std::vector<std::string> files = with_suffix(names, kFileSuffix);
  if (!indexes.empty()) {
    const std::string index = choose(directory, indexes, kIndexName);
    if (index == kIndexName && std::ranges::find(files, kFileName) != files.end()) {
      fail_ambiguous(directory, {std::string(kFileName), index});
    }
    return {Source::Kind::Index, directory / index, {}};
  }
  if (files.empty()) {
    fail(CheckpointErrorCode::NoWeightsFound, directory, "",
         fmt::format("no supported weight file in it; MetaSan reads *.safetensors and "
                     "*.safetensors.index.json, found {}",
                     quote_list(names)));
  }
  Source source{Source::Kind::Safetensors, directory / choose(directory, files, kFileName), {}};
  if (files.size() > 1) {
    source.warnings.push_back(fmt::format("'{}' has {} .safetensors files; only '{}' was read",
                                          directory.string(), files.size(),
                                          source.file.filename().string()));
  }
  return source;
}

}  // namespace

Source find_source(const fs::path& given) {
  std::error_code error;
  const fs::file_status status = fs::status(given, error);
  if (status.type() == fs::file_type::not_found) {
    fail_not_found(given);
  }
  if (fs::is_directory(status)) {
    return find_in_directory(given);
  }
  const bool is_index = given.extension() == ".json";
  return {is_index ? Source::Kind::Index : Source::Kind::Safetensors, given, {}};
}

}  // namespace metasan::checkpoint
