#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace metasan::benchmark {

/// Timings of one thing, in milliseconds. Machines are noisy: quote medians, and compare what was
/// measured in turns.
class Samples {
 public:
  /// Times one call.
  template <typename Run>
  void measure(Run&& run) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    add(elapsed.count());
  }

  void add(double milliseconds) {
    values_.insert(std::upper_bound(values_.begin(), values_.end(), milliseconds), milliseconds);
  }

  double min() const { return values_.front(); }
  double median() const { return values_[values_.size() / 2]; }
  double max() const { return values_.back(); }

 private:
  std::vector<double> values_;  // sorted
};

}  // namespace metasan::benchmark
