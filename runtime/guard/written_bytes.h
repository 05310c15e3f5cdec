#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace metasan::guard {

/// A range of bytes [begin, end) in a storage.
struct ByteRange {
  std::int64_t begin;
  std::int64_t end;

  bool operator==(const ByteRange&) const = default;
};

/// Which bytes of a storage were written so far: disjoint runs, those that touch merged.
class WrittenBytes {
 public:
  /// Memory and time are bounded: with more runs than this, as after writing every other column of
  /// a large matrix, is_too_fragmented() says that the set is of no more use.
  static constexpr std::size_t kMostRuns = 1 << 16;

  void add(ByteRange range);
  /// Forgets what lies behind the first `bytes` bytes.
  void cut(std::int64_t bytes);

  /// The first part of `range` that was not written; nothing when all of it was.
  std::optional<ByteRange> first_gap(ByteRange range) const;

  /// How many bytes were written.
  std::int64_t size() const { return size_; }
  bool is_too_fragmented() const { return runs_.size() > kMostRuns; }

 private:
  std::map<std::int64_t, std::int64_t> runs_;  // begin -> end
  std::int64_t size_ = 0;
};

}  // namespace metasan::guard
