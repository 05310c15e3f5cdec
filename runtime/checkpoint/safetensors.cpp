#include "runtime/checkpoint/safetensors.h"

#include "runtime/checkpoint/error.h"
#include "runtime/checkpoint/extents.h"
#include "runtime/checkpoint/foreign_content.h"
#include "runtime/checkpoint/json.h"
#include "runtime/options/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace metasan::checkpoint {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::string_view kMetadata = "__metadata__";

/// Reads the JSON of a header.
class HeaderParser {
 public:
  explicit HeaderParser(const std::filesystem::path& path) : path_(path) {}

  std::vector<FileTensor> parse(simdjson::dom::element root) {
    simdjson::dom::object object;
    if (root.get(object) != simdjson::SUCCESS) {
      fail_json("", "it is not an object");
    }
    std::vector<FileTensor> tensors;
    tensors.reserve(object.size());
    bool has_metadata = false;
    for (const auto [name, value] : object) {
      if (!is_unicode(name)) {
        fail_json("", "a name has a lone surrogate");
      }
      if (name == kMetadata) {
        if (std::exchange(has_metadata, true)) {
          fail_json("", "it has __metadata__ twice");
        }
        check_metadata(value);
      } else {
        tensors.push_back(parse_tensor(name, value));
      }
    }
    return tensors;
  }

 private:
  [[noreturn]] void fail_json(std::string_view tensor, const std::string& what) const {
    const std::string where = tensor.empty() ? "" : fmt::format("tensor {}: ", quote(tensor));
    fail(
        CheckpointErrorCode::InvalidHeaderDeserialization, path_, std::string(tensor),
        fmt::format(
            "the header is not what safetensors prescribes: {}{}; write or download the file again",
            where, what));
  }

  void check_metadata(simdjson::dom::element value) const {
    simdjson::dom::object metadata;
    if (value.is_null()) {
      return;
    }
    if (value.get(metadata) != simdjson::SUCCESS) {
      fail_json("", "__metadata__ is not an object");
    }
    for (const auto [key, text] : metadata) {
      std::string_view view;
      if (text.get(view) != simdjson::SUCCESS) {
        fail_json(
            "", fmt::format("__metadata__ has a value that is not a string under {}", quote(key)));
      }
      if (!is_unicode(key) || !is_unicode(view)) {
        fail_json("", "__metadata__ has a lone surrogate");
      }
    }
  }

  FileTensor parse_tensor(std::string_view name, simdjson::dom::element value) const {
    simdjson::dom::object info;
    if (value.get(info) != simdjson::SUCCESS) {
      fail_json(name, "its description is not an object");
    }
    std::optional<Dtype> dtype;
    std::optional<std::vector<std::uint64_t>> shape;
    std::optional<std::vector<std::uint64_t>> offsets;
    for (const auto [field, content] : info) {
      if (field == "dtype") {
        set_once(dtype, parse_dtype(name, content), name, field);
      } else if (field == "shape") {
        set_once(shape, parse_numbers(name, field, content), name, field);
      } else if (field == "data_offsets") {
        set_once(offsets, parse_numbers(name, field, content), name, field);
      }
    }
    for (const auto& [present, field] :
         {std::pair{dtype.has_value(), "dtype"}, std::pair{shape.has_value(), "shape"},
          std::pair{offsets.has_value(), "data_offsets"}}) {
      if (!present) {
        fail_json(name, fmt::format("it has no {}", field));
      }
    }
    if (offsets->size() != 2) {
      fail_json(name, fmt::format("data_offsets has {} numbers, not 2", offsets->size()));
    }
    return {std::string(name), *dtype, std::move(*shape), (*offsets)[0], (*offsets)[1]};
  }

  template <typename T>
  void set_once(std::optional<T>& slot, T value, std::string_view tensor,
                std::string_view field) const {
    if (slot) {
      fail_json(tensor, fmt::format("it has {} twice", field));
    }
    slot = std::move(value);
  }

  Dtype parse_dtype(std::string_view tensor, simdjson::dom::element value) const {
    std::string_view name;
    if (value.get(name) != simdjson::SUCCESS) {
      fail_json(tensor, "dtype is not a string");
    }
    const std::optional<Dtype> dtype = dtype_from_name(name);
    if (!dtype) {
      fail(CheckpointErrorCode::UnknownDtype, path_, std::string(tensor),
           fmt::format("tensor {} has the dtype {}, which safetensors 0.8 does not define; save it "
                       "in another one",
                       quote(tensor), quote(name)));
    }
    return *dtype;
  }

  std::vector<std::uint64_t> parse_numbers(std::string_view tensor, std::string_view field,
                                           simdjson::dom::element value) const {
    simdjson::dom::array array;
    if (value.get(array) != simdjson::SUCCESS) {
      fail_json(tensor, fmt::format("{} is not an array", field));
    }
    std::vector<std::uint64_t> numbers;
    numbers.reserve(array.size());
    for (const simdjson::dom::element element : array) {
      std::uint64_t number = 0;
      // simdjson converts a positive integer only: not -1, not 1.0, not "1".
      if (element.get(number) != simdjson::SUCCESS) {
        fail_json(tensor, fmt::format("{} has {} where a non-negative integer below 2^64 must be",
                                      field, simdjson::minify(element)));
      }
      numbers.push_back(number);
    }
    return numbers;
  }

  const std::filesystem::path& path_;
};

/// The length of the header, checked against its limit and the file.
std::uint64_t header_length(std::span<const std::byte> file, const std::filesystem::path& path) {
  if (file.size() < kLengthBytes) {
    fail(CheckpointErrorCode::HeaderTooSmall, path, "",
         fmt::format("the file has {} bytes, but the length of a safetensors header alone takes 8: "
                     "the download or "
                     "the save was interrupted; get it again",
                     file.size()));
  }
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) {
    length = length << 8 | std::to_integer<std::uint64_t>(file[i]);
  }
  if (length > kLongestHeader) {
    reject_foreign_format(file, path);
    fail(CheckpointErrorCode::HeaderTooLarge, path, "",
         fmt::format("the header would have {} bytes, more than the limit of {}: this is not a "
                     "safetensors file, or a "
                     "damaged one",
                     length, kLongestHeader));
  }
  const std::uint64_t needed = length + kLengthBytes;
  if (needed > file.size()) {
    reject_foreign_format(file, path);
    fail(CheckpointErrorCode::InvalidHeaderLength, path, "",
         fmt::format("the file has {} bytes, its header alone needs {}: {} are missing; the "
                     "download or the save was "
                     "interrupted, get it again",
                     file.size(), needed, needed - file.size()));
  }
  return length;
}

void reject_duplicates(const std::vector<FileTensor>& sorted, const std::filesystem::path& path) {
  const auto it = std::ranges::adjacent_find(sorted, {}, &FileTensor::name);
  if (it != sorted.end()) {
    fail(CheckpointErrorCode::DuplicateTensor, path, it->name,
         fmt::format("tensor {} occurs twice in the header, at bytes [{}, {}) and [{}, {}) of the "
                     "payload: which one is "
                     "meant is unknown; save the file again",
                     quote(it->name), it->begin, it->end, (it + 1)->begin, (it + 1)->end));
  }
}

}  // namespace

SafetensorsHeader read_safetensors_header(std::span<const std::byte> file,
                                          const std::filesystem::path& path) {
  reject_lfs_pointer(file, path);
  const std::uint64_t length = header_length(file, path);
  const std::span<const std::byte> readable = file.subspan(kLengthBytes);
  const std::string_view text(reinterpret_cast<const char*>(readable.data()), length);
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    reject_foreign_format(file, path);
    fail(CheckpointErrorCode::InvalidHeader, path, "",
         fmt::format("the {} bytes of the header are not UTF-8: this is not a safetensors file, or "
                     "a damaged one",
                     length));
  }
  if (!text.starts_with('{')) {
    fail(CheckpointErrorCode::InvalidHeaderDeserialization, path, "",
         length == 0 ? "the header is empty, it must be a JSON object; save the file again"
                     : "the header does not begin with '{': this is not a safetensors file, or a "
                       "damaged one");
  }
  const JsonDocument document(readable, length);
  if (!document.error().empty()) {
    fail(CheckpointErrorCode::InvalidHeaderDeserialization, path, "",
         fmt::format("the header is not valid JSON: {}; write or download the file again",
                     document.error()));
  }
  SafetensorsHeader header{kLengthBytes + length, HeaderParser(path).parse(document.root())};
  std::ranges::sort(header.tensors, {}, &FileTensor::name);
  reject_duplicates(header.tensors, path);
  check_extents(header, file.size(), path);
  return header;
}

}  // namespace metasan::checkpoint
