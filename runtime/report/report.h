#pragma once

#include "runtime/guard/violation.h"
#include "runtime/report/symbolize.h"

#include <metasan/rules.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace metasan::report {

/// What a report is about: something wrong, or something wrong that was put right.
enum class Kind : std::uint8_t { Error, Warning, Healed };

/// A declaration or an event in the past of a tensor, and the user's code that it came from.
struct PastEvent {
  std::string what;
  std::optional<Frame> where;
};

/// Everything that a report says, as plain data: its text and its line of JSON are made from it.
struct Report {
  Kind kind;
  const RuleInfo& rule;
  int pid;
  int thread;
  guard::Violation violation;
  std::vector<Frame> stack;   ///< from the innermost frame of the user's code outwards
  bool in_user_code = false;  ///< false when there was no such frame, and `stack` is everything
  std::optional<Frame> declared = {};
  std::vector<PastEvent> history = {};
  std::string healed = {};  ///< what was done about it; empty for errors and warnings
  std::string summary = {};

  /// The tensor at fault; null when the report is about a module.
  const guard::TensorFacts* tensor() const {
    return violation.tensors.empty() ? nullptr : &violation.tensors.front();
  }
  /// The same for all that is found at one place in the code.
  std::string place() const;
};

/// `stack` is where the violation was found, innermost first; `healed` what was done about it.
Report make_report(guard::Violation violation, const std::vector<void*>& stack,
                   std::string healed = "");

/// "ERROR", "WARNING", "HEALED".
std::string_view label(Kind kind);

/// "'encoder.weight' [384, 384] float32", or "a tensor [384, 384] float32" when its module is not
/// known.
std::string describe(const guard::TensorFacts& tensor);

}  // namespace metasan::report
