#include "runtime/checkpoint/foreign_content.h"

#include "runtime/checkpoint/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace metasan::checkpoint {
namespace {

// The Git-LFS specification keeps pointers below this size.
constexpr std::size_t kLargestPointer = 1024;

struct Magic {
  std::string_view bytes;
  std::string_view meaning;
};

using namespace std::string_view_literals;
constexpr auto kMagics = std::to_array<Magic>({
    {"PK\x03\x04"sv, "a zip archive, as .bin, .pt and .pth files of PyTorch are"},
    {"\x80\x02"sv, "a Python pickle, as old .bin, .pt and .pth files of PyTorch are"},
    {"GGUF"sv, "a GGUF file"},
    {"\x89HDF"sv, "an HDF5 file"},
    {"\x1f\x8b"sv, "a gzip archive"},
    {"<"sv, "an HTML or XML page, such as the error page of a failed download"},
    {"{"sv, "JSON text; an index must be named *.index.json"},
});

std::string_view text_of(std::span<const std::byte> file) {
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

/// The value of a line "key value" of a pointer; "unknown" when it is absent.
std::string_view field(std::string_view pointer, std::string_view key) {
  const std::size_t begin = pointer.find(key);
  if (begin == std::string_view::npos) {
    return "unknown";
  }
  const std::string_view value = pointer.substr(begin + key.size());
  return value.substr(0, value.find('\n'));
}

}  // namespace

void reject_lfs_pointer(std::span<const std::byte> file, const std::filesystem::path& path) {
  const std::string_view text = text_of(file.first(std::min(file.size(), kLargestPointer)));
  if (!text.starts_with("version https://git-lfs.github.com/") &&
      !text.starts_with("version https://hawser.github.com/")) {
    return;
  }
  fail(
      CheckpointErrorCode::LfsPointer, path, "",
      fmt::format(
          "it is a Git-LFS pointer of {} bytes in place of the weights; the real file has {} bytes "
          "and the hash {}: fetch it with `git lfs pull`, or download it again",
          file.size(), field(text, "\nsize "), field(text, "\noid ")));
}

void reject_foreign_format(std::span<const std::byte> file, const std::filesystem::path& path) {
  const std::string_view text = text_of(file);
  const auto it = std::ranges::find_if(
      kMagics, [&](const Magic& magic) { return text.starts_with(magic.bytes); });
  if (it != kMagics.end()) {
    fail(CheckpointErrorCode::UnsupportedFormat, path, "",
         fmt::format("it is {}; MetaSan reads .safetensors files and their .safetensors.index.json",
                     it->meaning));
  }
}

}  // namespace metasan::checkpoint
