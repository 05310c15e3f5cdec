#include "tests/operator_walk/walk.h"

#include "runtime/options/suppressions.h"
#include "tests/operator_walk/arguments.h"
#include "tests/operator_walk/forked.h"
#include "tests/operator_walk/search.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace metasan::operator_walk {
namespace {

/// Calls that must agree before a report counts as one too many.
constexpr std::size_t kConfirmations = 8;
/// How often a wrong verdict must come.
constexpr int kRounds = 8;

struct Planned {
  int attempt;
  Position position;
  State state;
};

std::vector<Planned> plan(const c10::OperatorHandle& op, const std::vector<int>& attempts,
                          std::vector<Case>& cases) {
  std::vector<Planned> planned;
  std::set<std::pair<std::size_t, std::optional<std::size_t>>> seen;
  for (const int attempt : attempts) {
    const auto arguments = generate_arguments(op, attempt);
    const auto possible = tensor_arguments(arguments);
    for (const auto& position : positions_of(arguments)) {
      if (position.argument && (!possible.contains(*position.argument) ||
                                !seen.emplace(*position.argument, position.element).second)) {
        continue;
      }
      for (const auto state : kStates) {
        planned.push_back({attempt, position, state});
        cases.push_back({.state = state,
                         .position = name_of(position, op.schema(), arguments),
                         .attempt = attempt,
                         .mixed = leaves_data(arguments, position),
                         .plain = {},
                         .guarded = {}});
      }
    }
  }
  return planned;
}

/// True when LibTorch alone gives the same for the same values, wherever in memory they lie.
bool repeats(const c10::OperatorHandle& op, const Planned& planned) try {
  for (int round = 0; round < kRounds; ++round) {
    const Reference reference(op, planned.attempt);
    const auto verdict =
        judge(reference, planned.position, {.state = State::Offloaded, .watch = Watch::Nobody});
    if (kind_of(verdict.outcome) == Kind::Wrong) {
      return false;
    }
  }
  return true;
} catch (const std::exception&) {
  return false;
}

/// The verdict of one case. Some operators read memory that nobody gave them: what is wrong is
/// wrong each time, and arguments that are not taken each time say nothing.
Verdict run_case(const c10::OperatorHandle& op, const Planned& planned, Watch watch) {
  Verdict verdict;
  for (int round = 0; round < kRounds; ++round) {
    try {
      const Reference reference(op, planned.attempt);
      verdict = judge(reference, planned.position, {.state = planned.state, .watch = watch});
    } catch (const std::exception&) {
      return {Outcome::Known, "takes its arguments only sometimes"};
    }
    if (kind_of(verdict.outcome) != Kind::Wrong) {
      return verdict;
    }
  }
  const bool same_as_ever =
      watch == Watch::Nobody || planned.state != State::Offloaded || repeats(op, planned);
  return same_as_ever ? verdict : Verdict{Outcome::Known, "reads memory that nobody gave it"};
}

/// The verdicts of all cases, as `watch` has them. What one of the two does to the memory of its
/// process the other never sees.
void run_cases(const c10::OperatorHandle& op, const std::vector<Planned>& planned, Watch watch,
               std::vector<Case>& cases) {
  const auto work = [&](std::size_t first, const Progress& progress) {
    for (auto item = first; item < planned.size(); ++item) {
      progress.begin(item);
      const auto verdict = run_case(op, planned[item], watch);
      progress.end(std::to_string(static_cast<int>(verdict.outcome)) + ' ' + verdict.detail);
    }
  };
  const auto note = [&](std::size_t item, const ItemEnd& end) {
    auto& verdict = watch == Watch::Nobody ? cases[item].plain : cases[item].guarded;
    switch (end.how) {
      case ItemEnd::How::Crashed:
        verdict = {Outcome::Crashed, "signal " + std::to_string(end.signal)};
        break;
      case ItemEnd::How::TimedOut:
        verdict = {Outcome::TimedOut, {}};
        break;
      case ItemEnd::How::Finished: {
        const auto space = end.text.find(' ');
        verdict = {static_cast<Outcome>(std::stoi(end.text.substr(0, space))),
                   end.text.substr(space + 1)};
      }
    }
  };
  run_forked(work, note, kLimit, static_cast<int>(planned.size()) + 1);
}

/// What LibTorch alone makes of one attempt, with whatever in the memory of tensors without data.
enum class Answer : std::uint8_t { SaysNothing, Right, Wrong };

Answer answer_of(const c10::OperatorHandle& op, int attempt, const Planned& planned) {
  auto answer = Answer::SaysNothing;
  for (const auto values : {Values::First, Values::Second}) {
    try {
      const Reference reference(op, attempt, values);
      for (int poison = 0; poison < poisons(planned.state); ++poison) {
        const auto verdict =
            judge(reference, planned.position, {planned.state, Watch::Nobody, poison});
        if (verdict.outcome != Outcome::MetadataResult) {
          return Answer::Wrong;
        }
      }
      if (reference.tells_something()) {
        answer = Answer::Right;
      }
    } catch (const std::exception&) {
      // The operator does not accept these arguments.
    }
  }
  return answer;
}

/// True when LibTorch alone is right in all calls found with what is planned, not only where the
/// generated arguments happen to leave the argument without effect.
bool always_answered(const c10::OperatorHandle& op, const Planned& planned) {
  std::array<std::size_t, 3> answers{};
  const auto work = [&](std::size_t first, const Progress& progress) {
    std::size_t right = 0;
    for (auto item = first; item < kAttempts && right < kConfirmations; ++item) {
      const int attempt = static_cast<int>(item);
      const auto positions = positions_of(generate_arguments(op, attempt));
      if (std::find(positions.begin(), positions.end(), planned.position) == positions.end()) {
        continue;
      }
      progress.begin(item);
      const auto answer = answer_of(op, attempt, planned);
      right += answer == Answer::Right ? 1 : 0;
      progress.end(std::to_string(static_cast<int>(answer)));
      if (answer == Answer::Wrong) {
        return;
      }
    }
  };
  const auto note = [&](std::size_t, const ItemEnd& end) {
    const auto answer = end.how == ItemEnd::How::Finished ? static_cast<Answer>(std::stoi(end.text))
                                                          : Answer::Wrong;
    ++answers.at(static_cast<std::size_t>(answer));
  };
  run_forked(work, note, kLimit, kDeaths);
  return answers.at(static_cast<std::size_t>(Answer::Wrong)) == 0 &&
         answers.at(static_cast<std::size_t>(Answer::Right)) > 0;
}

/// To refuse what LibTorch alone gets right is wrong itself, unless the dispatcher says that the
/// operator needs values of a tensor that has none; and so is an error that nobody meant.
void compare_with_plain(const c10::OperatorHandle& op, const std::vector<Planned>& planned,
                        std::vector<Case>& cases) {
  const bool needs_values =
      op.hasTag(at::Tag::data_dependent_output) || op.hasTag(at::Tag::dynamic_output_shape);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto plain = cases[i].plain.outcome;
    auto& guarded = cases[i].guarded;
    const auto kind = kind_of(guarded.outcome);
    if (kind != Kind::Reported && kind != Kind::Refused) {
      continue;
    }
    const bool may_need_values = needs_values && cases[i].state == State::Declared;
    const bool meta = plain == Outcome::MetaResult && !cases[i].mixed;
    if (!may_need_values &&
        (meta || (plain == Outcome::MetadataResult && always_answered(op, planned[i])))) {
      guarded = {Outcome::OverReported,
                 guarded.detail + ", of what is " + std::string(id_of(plain))};
    } else if (kind == Kind::Refused && guarded.detail != cases[i].plain.detail) {
      guarded.outcome = Outcome::Failed;
    }
  }
}

void mark_known(Walked& walked) {
  struct Known {
    std::string_view op;
    State state;
    Outcome outcome;
    std::string_view reason;
  };
  static constexpr Known kKnown[] = {
#define METASAN_KNOWN(Operator, State_, Outcome_, Reason) \
  {Operator, State::State_, Outcome::Outcome_, Reason},
#include "tests/operator_walk/known.def"
  };
  for (auto& found : walked.cases) {
    for (const auto& known : kKnown) {
      if (known.state == found.state && known.outcome == found.guarded.outcome &&
          whole_matches(known.op, walked.name)) {
        found.guarded = {Outcome::Known, std::string(known.reason)};
        break;
      }
    }
  }
}

}  // namespace

void make_comparable() {
  at::set_num_threads(1);
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/true);
  at::globalContext().setDeterministicFillUninitializedMemory(true);
}

Walked walk(const c10::OperatorHandle& op) {
  Walked walked{.name = c10::toString(op.operator_name()),
                .cases = {},
                .not_covered = {},
                .last_error = {},
                .crashes_on_real = 0};
  const auto attempts = accepted_attempts(op, walked);
  const auto planned = plan(op, attempts, walked.cases);
  for (const auto watch : {Watch::MetaSan, Watch::Nobody}) {
    run_cases(op, planned, watch, walked.cases);
  }
  compare_with_plain(op, planned, walked.cases);
  mark_known(walked);
  // An operator that writes past its memory may die of it only calls later, with or without
  // MetaSan.
  const bool corrupts = std::any_of(walked.cases.begin(), walked.cases.end(), [](const auto& c) {
    return c.plain.outcome == Outcome::Crashed && c.guarded.outcome == Outcome::Crashed;
  });
  if (corrupts) {
    walked.cases.clear();
    walked.not_covered = "crashes on real arguments";
  }
  if (walked.cases.empty() && walked.not_covered.empty()) {
    walked.not_covered =
        walked.crashes_on_real >= kDeaths
            ? "crashes on real arguments"
            : "none of " + std::to_string(kAttempts) + " generated argument lists was accepted";
  }
  return walked;
}

}  // namespace metasan::operator_walk
