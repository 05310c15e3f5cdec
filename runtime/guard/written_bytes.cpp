#include "runtime/guard/written_bytes.h"

#include <algorithm>
#include <iterator>

namespace metasan::guard {

void WrittenBytes::add(ByteRange range) {
  if (range.begin >= range.end) {
    return;
  }
  auto next = runs_.upper_bound(range.begin);
  if (next != runs_.begin() && std::prev(next)->second >= range.begin) {
    --next;
  }
  auto [begin, end] = range;
  while (next != runs_.end() && next->first <= range.end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    size_ -= next->second - next->first;
    next = runs_.erase(next);
  }
  runs_.emplace_hint(next, begin, end);
  size_ += end - begin;
}

void WrittenBytes::cut(std::int64_t bytes) {
  while (!runs_.empty() && std::prev(runs_.end())->second > bytes) {
    const auto last = std::prev(runs_.end());
    const auto kept = std::max(last->first, bytes);
    size_ -= last->second - kept;
    last->second = kept;
    if (last->first == kept) {
      runs_.erase(last);
    }
  }
}

std::optional<ByteRange> WrittenBytes::first_gap(ByteRange range) const {
  const auto next = runs_.upper_bound(range.begin);
  auto begin = range.begin;
  if (next != runs_.begin()) {
    begin = std::max(begin, std::prev(next)->second);
  }
  if (begin >= range.end) {
    return std::nullopt;
  }
  const auto end = next == runs_.end() ? range.end : std::min(range.end, next->first);
  return ByteRange{begin, end};
}

}  // namespace metasan::guard
