#include "runtime/guard/history.h"

#include <utility>

namespace metasan::guard {

void History::add(Event event) {
  if (events_.size() == kMostEvents) {
    events_.erase(events_.begin() + 1);
    ++dropped_;
  }
  events_.push_back(std::move(event));
}

}  // namespace metasan::guard
