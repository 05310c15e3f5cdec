#include "runtime/load/fit_problems.h"

#include "runtime/checkpoint/error.h"
#include "runtime/guard/violation.h"
#include "runtime/load/prefix_hint.h"
#include "runtime/options/names.h"

#include <metasan/state.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace metasan::load {
namespace {

// A message is read by a person: this many lines for each kind of problem, and a count of the rest.
constexpr std::size_t kShown = 10;

/// "nearest": from the names that only the other side has; a name that is taken would mislead.
std::string suggestion(std::string_view name, const std::vector<std::string>& unclaimed) {
  const std::vector<std::string_view> candidates(unclaimed.begin(), unclaimed.end());
  const auto nearest = nearest_name(name, candidates);
  return nearest ? "; nearest: " + quote(*nearest) : "";
}

/// One block of the message: a heading and a line for each item.
class Lines {
 public:
  template <typename Items, typename Describe>
  void add(std::string_view heading, const Items& items, Describe&& describe) {
    if (items.empty()) {
      return;
    }
    text_ += fmt::format("{} ({}):\n", heading, items.size());
    for (std::size_t i = 0; i < std::min(kShown, items.size()); ++i) {
      text_ += fmt::format("  {}\n", describe(items[i]));
    }
    if (items.size() > kShown) {
      text_ += fmt::format("  and {} more\n", items.size() - kShown);
    }
  }
  void hint(const std::string& text) {
    if (!text.empty()) {
      text_ += "hint: " + text + '\n';
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string describe_problems(const FitProblems& problems) {
  Lines lines;
  lines.hint(prefix_hint(problems.all_missing, problems.all_unexpected));
  lines.add("missing in the checkpoint", problems.missing,
            [&](const FitProblems::Missing& missing) {
              return fmt::format("{} [{}] {}{}", quote(missing.name),
                                 fmt::join(missing.tensor.sizes(), ", "),
                                 c10::getDtypeNames(missing.tensor.scalar_type()).first,
                                 suggestion(missing.name, problems.all_unexpected));
            });
  lines.add("unexpected: not in the module", problems.unexpected, [&](const std::string& name) {
    return quote(name) + suggestion(name, problems.all_missing);
  });
  lines.add("different in the module", problems.wrong, [](const FitProblems::Wrong& wrong) {
    return fmt::format("{} {}", quote(wrong.name), wrong.what);
  });
  return lines.text();
}

[[noreturn]] void raise_weights_missing(const FitProblems& problems,
                                        const checkpoint::Checkpoint& checkpoint,
                                        const std::string& op) {
  guard::Violation violation{.rule = Rule::WeightsMissing, .op = op, .tensors = {}};
  for (const FitProblems::Missing& missing : problems.missing) {
    if (state_of(missing.tensor) == State::Declared) {
      violation.tensors.push_back(guard::facts_of(missing.tensor));
    }
  }
  violation.detail = fmt::format("checkpoint '{}' with {} tensors; the module is unchanged\n",
                                 checkpoint.path().string(), checkpoint.entries().size()) +
                     describe_problems(problems);
  guard::raise(violation);
}

}  // namespace

void throw_unless_fits(const FitProblems& problems, const checkpoint::Checkpoint& checkpoint,
                       const std::string& op) {
  const bool only_missing = problems.unexpected.empty() && problems.wrong.empty();
  if (only_missing && problems.missing.empty()) {
    return;
  }
  const bool leaves_declared =
      std::ranges::any_of(problems.missing, [](const FitProblems::Missing& missing) {
        return state_of(missing.tensor) == State::Declared;
      });
  if (only_missing && leaves_declared) {
    raise_weights_missing(problems, checkpoint, op);
  }
  const bool only_dtypes = problems.missing.empty() && problems.unexpected.empty() &&
                           std::ranges::all_of(problems.wrong, &FitProblems::Wrong::no_torch_dtype);
  const std::string& tensor = !problems.wrong.empty()     ? problems.wrong.front().name
                              : !problems.missing.empty() ? problems.missing.front().name
                                                          : problems.unexpected.front();
  checkpoint::fail(
      only_dtypes ? CheckpointErrorCode::UnsupportedDtype : CheckpointErrorCode::Mismatch,
      checkpoint.path(), tensor,
      fmt::format("it does not fit the module, which is unchanged: {} missing, {} unexpected, {} "
                  "different\n"
                  "{}fix: give the checkpoint of this module, or allow what may differ with "
                  "LoadOptions::strict, allow_missing and allow_unexpected",
                  problems.missing.size(), problems.unexpected.size(), problems.wrong.size(),
                  describe_problems(problems)));
}

}  // namespace metasan::load
