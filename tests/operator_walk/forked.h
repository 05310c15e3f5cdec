#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace metasan::operator_walk {

/// How one item of a forked run ended.
struct ItemEnd {
  enum class How { Finished, Crashed, TimedOut };
  How how = How::Finished;
  int signal = 0;    ///< that killed the child, when it crashed
  std::string text;  ///< what the child said of the item; empty unless it finished
};

/// How the code inside a child speaks to its parent.
class Progress {
 public:
  Progress(int pipe, std::chrono::seconds limit) : pipe_(pipe), limit_(limit) {}

  /// From here on, a death of the child counts for `item`.
  void begin(std::size_t item) const;
  /// The end of the item that was begun; `text` is one line.
  void end(const std::string& text) const;

 private:
  void send(const std::string& line) const;

  int pipe_;
  std::chrono::seconds limit_;
};

/// Runs `work(first, progress)` in a child process, which goes through the items from `first` on as
/// far as it likes. When the child dies, or takes more than `limit` for an item, that item is done
/// and a new child goes on behind it. `on_end` hears of each item, in the parent, in order; what it
/// changes the next child knows.
///
/// Nothing that the work does to this process survives it. At most `deaths` children may die.
void run_forked(const std::function<void(std::size_t first, const Progress&)>& work,
                const std::function<void(std::size_t item, const ItemEnd&)>& on_end,
                std::chrono::seconds limit, int deaths);

}  // namespace metasan::operator_walk
