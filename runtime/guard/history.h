#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace metasan::guard {

/// One thing that happened to a tensor.
struct Event {
  std::string what;          ///< "loaded from model.safetensors", in the words of a report
  std::vector<void*> stack;  ///< where, as return addresses, innermost first; empty when not known
};

/// What happened to a tensor, in order. Keeps the first event, where the tensor comes from, and the
/// latest ones: at most `kMostEvents`.
class History {
 public:
  static constexpr std::size_t kMostEvents = 8;

  void add(Event event);

  const std::vector<Event>& events() const { return events_; }
  /// Events between the first one and the rest that were dropped.
  std::size_t dropped() const { return dropped_; }

 private:
  std::vector<Event> events_;
  std::size_t dropped_ = 0;
};

}  // namespace metasan::guard
