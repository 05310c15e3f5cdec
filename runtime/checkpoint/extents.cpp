#include "runtime/checkpoint/extents.h"

#include "runtime/checkpoint/error.h"
#include "runtime/options/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace metasan::checkpoint {
namespace {

/// A hostile header can claim to end near 2^64, so that adding its own length overflows.
using Bytes128 = unsigned __int128;

using Ordered = std::vector<const FileTensor*>;

Ordered by_offset(const std::vector<FileTensor>& tensors) {
  Ordered ordered;
  ordered.reserve(tensors.size());
  for (const FileTensor& tensor : tensors) {
    ordered.push_back(&tensor);
  }
  std::ranges::sort(ordered, {},
                    [](const FileTensor* tensor) { return std::pair(tensor->begin, tensor->end); });
  return ordered;
}

/// `previous` is null for the first tensor.
[[noreturn]] void fail_offset(const FileTensor& tensor, const FileTensor* previous,
                              const std::filesystem::path& path) {
  const std::uint64_t expected = previous == nullptr ? 0 : previous->end;
  std::string what;
  if (tensor.begin > expected) {
    what = fmt::format("bytes [{}, {}) before it belong to no tensor", expected, tensor.begin);
  } else if (tensor.begin < expected) {
    what = fmt::format("it overlaps {} at [{}, {})", quote(previous->name), previous->begin,
                       previous->end);
  } else {
    what = "it ends before it begins";
  }
  fail(CheckpointErrorCode::InvalidOffset, path, tensor.name,
       fmt::format(
           "tensor {} is said to be at bytes [{}, {}) of the payload, but {}; save the file again",
           quote(tensor.name), tensor.begin, tensor.end, what));
}

void check_size(const FileTensor& tensor, const std::filesystem::path& path) {
  const auto describe = [&] {
    return fmt::format("tensor {} of dtype {} and shape [{}]", quote(tensor.name),
                       to_string(tensor.dtype), fmt::join(tensor.shape, ", "));
  };
  std::uint64_t bits = 1;
  bool overflow = false;
  for (const std::uint64_t size : tensor.shape) {
    overflow = overflow || __builtin_mul_overflow(bits, size, &bits);
  }
  if (overflow || __builtin_mul_overflow(bits, bits_of(tensor.dtype), &bits)) {
    fail(CheckpointErrorCode::ValidationOverflow, path, tensor.name,
         fmt::format("{} has more than 2^64 bits; the header is damaged, get the file again",
                     describe()));
  }
  if (bits % 8 != 0) {
    fail(CheckpointErrorCode::MisalignedSlice, path, tensor.name,
         fmt::format(
             "{} has {} bits, which do not end at a byte; save it with an even number of elements",
             describe(), bits));
  }
  if (tensor.end - tensor.begin != bits / 8) {
    fail(CheckpointErrorCode::TensorInvalidInfo, path, tensor.name,
         fmt::format("{} needs {} bytes, but the header gives it {}: [{}, {}); save the file again",
                     describe(), bits / 8, tensor.end - tensor.begin, tensor.begin, tensor.end));
  }
}

void check_file_size(const Ordered& ordered, std::uint64_t payload, std::uint64_t file_size,
                     const std::filesystem::path& path) {
  const std::uint64_t payload_end = ordered.empty() ? 0 : ordered.back()->end;
  const std::uint64_t in_file = file_size - payload;
  if (payload_end < in_file) {
    fail(CheckpointErrorCode::MetadataIncompleteBuffer, path, "",
         fmt::format(
             "the file has {} bytes, its header accounts for {}: {} follow the last tensor; it was "
             "appended to or mixed up, get it again",
             file_size, payload + payload_end, in_file - payload_end));
  }
  if (payload_end > in_file) {
    const auto cut = std::ranges::find_if(
        ordered, [&](const FileTensor* tensor) { return tensor->end > in_file; });
    fail(CheckpointErrorCode::MetadataIncompleteBuffer, path, (*cut)->name,
         fmt::format(
             "the file has {} bytes, its header needs {}: {} are missing, and the first tensor "
             "that is cut is {} "
             "at [{}, {}) of the payload; the download or the save was interrupted, get it again",
             file_size, static_cast<Bytes128>(payload) + payload_end, payload_end - in_file,
             quote((*cut)->name), (*cut)->begin, (*cut)->end));
  }
}

}  // namespace

void check_extents(const SafetensorsHeader& header, std::uint64_t file_size,
                   const std::filesystem::path& path) {
  const Ordered ordered = by_offset(header.tensors);
  const FileTensor* previous = nullptr;
  for (const FileTensor* tensor : ordered) {
    const std::uint64_t expected = previous == nullptr ? 0 : previous->end;
    if (tensor->begin != expected || tensor->end < tensor->begin) {
      fail_offset(*tensor, previous, path);
    }
    check_size(*tensor, path);
    previous = tensor;
  }
  check_file_size(ordered, header.payload, file_size, path);
}

}  // namespace metasan::checkpoint
