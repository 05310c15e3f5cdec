#pragma once

#include <cstdint>
#include <string_view>

namespace metasan::operator_walk {

/// Pseudo-random choices that depend on a name and a number only: the same on every machine.
class Random {
 public:
  Random(std::string_view name, int number) : state_(14695981039346656037U) {
    for (const char c : name) {
      state_ = (state_ ^ static_cast<unsigned char>(c)) * 1099511628211U;
    }
    state_ += static_cast<std::uint64_t>(number) * 0x9E3779B97F4A7C15U;
  }

  /// SplitMix64.
  std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15U;
    auto z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  int up_to(int bound) { return static_cast<int>(bits() % static_cast<std::uint64_t>(bound)); }
  bool chance(double probability) {
    return static_cast<double>(bits() >> 11U) * 0x1p-53 < probability;
  }
  template <typename Choices>
  auto one_of(const Choices& choices) {
    return choices[bits() % choices.size()];
  }

 private:
  std::uint64_t state_;
};

}  // namespace metasan::operator_walk
