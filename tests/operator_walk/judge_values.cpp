#include "tests/operator_walk/judge_values.h"

#include "tests/operator_walk/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

namespace metasan::operator_walk {
namespace {

/// The elements of a tensor, in row-major order.
class Elements {
 public:
  explicit Elements(const at::Tensor& tensor) : contents_(contents(tensor)) {
    if (contents_.is_floating_point()) {
      numbers_ = contents_.to(at::kDouble);
    } else if (contents_.is_complex()) {
      numbers_ = at::view_as_real(contents_.to(at::kComplexDouble));
    }
  }

  int64_t size() const { return contents_.numel(); }

  /// The same, but for what the order of additions does to the last digits.
  bool same(std::size_t i, const Elements& other) const {
    if (!numbers_.defined()) {
      return std::memcmp(at(i), other.at(i), contents_.element_size()) == 0;
    }
    const auto parts = contents_.is_complex() ? 2U : 1U;
    const auto* mine = numbers_.const_data_ptr<double>() + i * parts;
    const auto* others = other.numbers_.const_data_ptr<double>() + i * parts;
    return std::equal(mine, mine + parts, others, [](double a, double b) {
      constexpr double kRelative = 1e-4;
      constexpr double kAbsolute = 1e-6;
      return a == b || (std::isnan(a) && std::isnan(b)) ||
             std::abs(a - b) <= kAbsolute + kRelative * std::abs(b);
    });
  }

 private:
  const char* at(std::size_t i) const {
    return static_cast<const char*>(contents_.const_data_ptr()) + i * contents_.element_size();
  }

  at::Tensor contents_;
  at::Tensor numbers_;  ///< the same in double precision, where they are not integers
};

bool all(const std::vector<bool>& flags) {
  return std::find(flags.begin(), flags.end(), false) == flags.end();
}

/// The first element of a result that is written, and not what it should be.
std::optional<std::size_t> first_wrong(const at::Tensor& found, const at::Tensor& expected,
                                       const std::vector<bool>& written) {
  const Elements elements(found);
  const Elements right(expected);
  if (elements.size() != right.size()) {
    return 0;
  }
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i] && !elements.same(i, right)) {
      return i;
    }
  }
  return std::nullopt;
}

/// An argument that the call may have written to.
struct Argument {
  const at::Tensor& found;
  const at::Tensor& before;
  const at::Tensor& reference_before;
  const at::Tensor& reference_after;
};

std::optional<Outcome> judge_argument(const Argument& argument, const std::vector<bool>& written) {
  const Elements found(argument.found);
  const Elements right(argument.reference_after);
  const bool keeps_shape = alike(argument.found, argument.before) &&
                           alike(argument.reference_before, argument.reference_after);
  const Elements before(argument.before);
  const Elements reference_before(argument.reference_before);
  for (std::size_t i = 0; i < written.size(); ++i) {
    const bool untouched = keeps_shape && found.same(i, before);
    if (!written[i]) {
      if (!untouched && found.same(i, right)) {
        return Outcome::UnnotedWrite;
      }
    } else if (!found.same(i, right) && !(untouched && reference_before.same(i, right))) {
      return Outcome::GarbageWrite;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Verdict> judge_plain_values(const Reference& reference,
                                          const torch::jit::Stack& results) {
  const auto values = plain_values(results);
  const auto expected = plain_values(reference.results);
  if (values == expected || !reference.repeats) {
    return std::nullopt;
  }
  return Verdict{Outcome::WrongValue, one_line(values + " expected " + expected)};
}

Verdict judge_values(const Reference& reference, const std::vector<at::Tensor>& before,
                     const std::vector<at::Tensor>& arguments, const torch::jit::Stack& results) {
  bool complete = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto place = "tensor " + std::to_string(i) + " of the arguments";
    if (!alike(arguments[i], reference.after[i])) {
      return {Outcome::WrongShape,
              place + ": " + describe(arguments[i]) + ", expected " + describe(reference.after[i])};
    }
    if (!has_elements(arguments[i])) {
      continue;
    }
    const auto written = written_elements(arguments[i]);
    complete &= all(written);
    const auto wrong =
        judge_argument({arguments[i], before[i], reference.before[i], reference.after[i]}, written);
    if (wrong && reference.repeats) {
      return {*wrong, place};
    }
  }
  const auto expected = tensors_of(reference.results);
  const auto found = tensors_of(results);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto place = "tensor " + std::to_string(i) + " of the results";
    if (found.size() != expected.size() || !alike(found[i], expected[i])) {
      return {Outcome::WrongShape, place};
    }
    if (!has_elements(found[i])) {
      continue;
    }
    const auto written = written_elements(found[i]);
    complete &= all(written);
    if (const auto wrong = first_wrong(found[i], expected[i], written);
        wrong && reference.repeats) {
      return {Outcome::GarbageResult, place + ", element " + std::to_string(*wrong)};
    }
  }
  if (auto wrong = judge_plain_values(reference, results)) {
    return *wrong;
  }
  return {complete ? Outcome::MetadataResult : Outcome::UnwrittenResult};
}

}  // namespace metasan::operator_walk
