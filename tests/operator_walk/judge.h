#pragma once

#include "tests/operator_walk/arguments.h"
#include "tests/operator_walk/positions.h"
#include "tests/operator_walk/without_data.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace metasan::operator_walk {

enum class Outcome : std::uint8_t {
#define METASAN_OUTCOME(Enumerator, ...) Enumerator,
#include "tests/operator_walk/outcomes.def"
};

enum class Kind : std::uint8_t { Allowed, Reported, Refused, Wrong, Known };

std::string_view id_of(Outcome outcome);
Kind kind_of(Outcome outcome);

struct Verdict {
  Outcome outcome = Outcome::MetaResult;
  std::string detail = {};  ///< what differs; the rule or text of an error
};

/// What an operator does on real arguments: what every other call of it is compared with.
struct Reference {
  explicit Reference(const c10::OperatorHandle& op, int attempt, Values values = Values::First);

  /// The arguments, made anew.
  torch::jit::Stack arguments() const { return generate_arguments(op, attempt, values); }

  const c10::OperatorHandle& op;
  const int attempt;
  const Values values;
  torch::jit::Stack results;
  std::vector<at::Tensor> before;  ///< the contents of the tensor arguments
  std::vector<at::Tensor> after;   ///< the same once the operator ran
  bool repeats = true;             ///< a second run gave the same results

  /// There are results to compare: a number, a tensor with elements, or what the arguments became;
  /// and they are not random.
  bool tells_something() const;
};

/// Calls the operator of `reference` with its arguments, those at `position` without data, and
/// judges what comes of it. May crash or hang.
Verdict judge(const Reference& reference, const Position& position, const Absence& absence);

/// Whether, with `position` empty, there is still a tensor with data among the arguments.
bool leaves_data(const torch::jit::Stack& arguments, const Position& position);

}  // namespace metasan::operator_walk
