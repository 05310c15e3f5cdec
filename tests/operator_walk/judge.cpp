#include "tests/operator_walk/judge.h"

#include <metasan/errors.h>

#include "tests/operator_walk/arguments.h"
#include "tests/operator_walk/compare.h"
#include "tests/operator_walk/judge_values.h"

#include <ATen/Context.h>

#include <algorithm>

namespace metasan::operator_walk {
namespace {

struct OutcomeInfo {
  std::string_view id;
  Kind kind;
};

constexpr OutcomeInfo kOutcomes[] = {
#define METASAN_OUTCOME(Enumerator, Kind_, Id, Meaning) OutcomeInfo{Id, Kind::Kind_},
#include "tests/operator_walk/outcomes.def"
};

void call(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  at::manual_seed(7);
  op.callBoxed(&stack);
}

bool is_raw_access(std::string_view text) {
  return text.find(info(Rule::MetaRawAccess).id) != std::string_view::npos;
}

/// True when what the operator writes into the argument `written`, a tensor at `position`, depends
/// on the values of the tensors that are left with data.
bool data_flows_into(std::size_t written, const Reference& reference, const Position& position) {
  auto first = reference.arguments();
  std::vector<at::Tensor> kept;
  replace_at(first, position, [&](const at::Tensor& tensor) {
    kept.push_back(tensor);
    return tensor;
  });
  auto stack = generate_arguments(reference.op, reference.attempt, Values::Second);
  auto next = kept.begin();
  replace_at(stack, position, [&](const at::Tensor&) { return *next++; });
  const auto tensors = tensors_of(stack);
  try {
    call(reference.op, stack);
  } catch (const std::exception&) {
    return true;  // whether it works at all depends on the values
  }
  return !same(tensors.at(written), reference.after.at(written));
}

/// What became of the tensors that were passed in.
std::optional<Verdict> judge_writes(const Reference& reference,
                                    const std::vector<at::Tensor>& before,
                                    const std::vector<at::Tensor>& after,
                                    const std::function<bool(std::size_t)>& data_flows_into) {
  const bool has_data = std::any_of(before.begin(), before.end(), [](const at::Tensor& tensor) {
    return tensor.defined() && !tensor.is_meta() && tensor.dim() > 0;
  });
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (!after[i].defined()) {
      continue;
    }
    const bool to_write = !same(reference.before[i], reference.after[i]);
    if (before[i].is_meta() && after[i].is_meta()) {
      if (to_write && has_data && data_flows_into(i)) {
        return Verdict{Outcome::LostWrite, "tensor " + std::to_string(i) + " of the arguments"};
      }
      if (after[i].sizes() != reference.after[i].sizes()) {
        return Verdict{Outcome::WrongShape, "argument " + describe(after[i]) + ", expected " +
                                                describe(reference.after[i])};
      }
      continue;
    }
    const bool written = !same(before[i], after[i]);
    if (to_write && !written) {
      return Verdict{Outcome::SkippedWrite, "tensor " + std::to_string(i) + " of the arguments"};
    }
    if (written && reference.repeats && !same(after[i], reference.after[i])) {
      return Verdict{Outcome::GarbageWrite, "tensor " + std::to_string(i) + " of the arguments"};
    }
  }
  return std::nullopt;
}

/// True for a question about the kinds of tensors, where those without data are another kind.
bool asks_for_kind(const c10::OperatorHandle& op) {
  return op.operator_name().name == "aten::_has_compatible_shallow_copy_type";
}

Verdict judge_results(const Reference& reference, const torch::jit::Stack& results) {
  const auto expected = tensors_of(reference.results);
  const auto found = tensors_of(results);
  if (expected.size() != found.size()) {
    return {Outcome::WrongShape,
            std::to_string(found.size()) + " tensors, expected " + std::to_string(expected.size())};
  }
  bool meta = false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto difference = describe(found[i]) + ", expected " + describe(expected[i]);
    if (found[i].defined() != expected[i].defined()) {
      return {Outcome::WrongShape, difference};
    }
    if (!found[i].defined()) {
      continue;
    }
    const bool alike = found[i].sizes() == expected[i].sizes() &&
                       found[i].scalar_type() == expected[i].scalar_type();
    if (found[i].is_meta()) {
      meta = true;
      if (!alike) {
        return {Outcome::WrongShape, difference};
      }
    } else if (!alike || (reference.repeats && !same(found[i], expected[i]))) {
      return {Outcome::GarbageResult, difference};
    }
  }
  if (auto wrong = judge_plain_values(reference, results); wrong && !asks_for_kind(reference.op)) {
    return *wrong;
  }
  return {meta ? Outcome::MetaResult : Outcome::MetadataResult};
}

}  // namespace

std::string_view id_of(Outcome outcome) {
  return kOutcomes[static_cast<std::size_t>(outcome)].id;
}

Kind kind_of(Outcome outcome) {
  return kOutcomes[static_cast<std::size_t>(outcome)].kind;
}

Reference::Reference(const c10::OperatorHandle& op, int attempt, Values values)
    : op(op), attempt(attempt), values(values), results(arguments()) {
  auto tensors = tensors_of(results);
  before = contents(tensors);
  call(op, results);
  after = contents(std::move(tensors));

  auto again = arguments();
  call(op, again);
  repeats =
      same(tensors_of(results), tensors_of(again)) && plain_values(results) == plain_values(again);
}

bool Reference::tells_something() const {
  const auto tensors = tensors_of(results);
  return repeats &&
         (tensors.empty() || std::any_of(tensors.begin(), tensors.end(), [](const auto& tensor) {
            return has_elements(tensor) && tensor.numel() > 0;
          }));
}

Verdict judge(const Reference& reference, const Position& position, const Absence& absence) {
  auto stack = reference.arguments();
  replace_at(stack, position, [&](const at::Tensor& tensor) {
    return can_be_without_data(tensor) ? without_data(tensor, absence) : tensor;
  });
  const auto arguments = tensors_of(stack);
  const auto before = contents(arguments);
  try {
    const Watching watching(absence.watch);
    call(reference.op, stack);
    if (absence.state != State::Declared) {
      return judge_values(reference, before, arguments, stack);
    }
  } catch (const MetaTensorError& error) {
    return {Outcome::Reported, std::string(info(error.rule()).id)};
  } catch (const c10::Error& error) {
    const auto text = one_line(error.what_without_backtrace());
    return {is_raw_access(text) ? Outcome::RawAccess : Outcome::Refused, text};
  } catch (const std::exception& error) {
    return {Outcome::Refused, one_line(error.what())};
  }
  const auto flows_into = [&](std::size_t written) {
    return data_flows_into(written, reference, position);
  };
  if (auto verdict = judge_writes(reference, before, arguments, flows_into)) {
    return *verdict;
  }
  return judge_results(reference, stack);
}

bool leaves_data(const torch::jit::Stack& arguments, const Position& position) {
  auto stack = arguments;
  replace_at(stack, position, [](const at::Tensor& tensor) {
    return can_be_without_data(tensor) ? at::Tensor() : tensor;
  });
  const auto tensors = tensors_of(stack);
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const at::Tensor& tensor) { return tensor.defined(); });
}

}  // namespace metasan::operator_walk
