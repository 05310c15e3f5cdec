#include "tests/operator_walk/summary.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <string>

namespace metasan::operator_walk {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Verdict, outcome, detail)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Case, position, attempt, mixed, plain, guarded)

void to_json(nlohmann::json& json, const Walked& walked) {
  json = {{"name", walked.name},
          {"cases", walked.cases},
          {"not_covered", walked.not_covered},
          {"last_error", walked.last_error},
          {"crashes_on_real", walked.crashes_on_real}};
}

void from_json(const nlohmann::json& json, Walked& walked) {
  json.at("name").get_to(walked.name);
  json.at("cases").get_to(walked.cases);
  json.at("not_covered").get_to(walked.not_covered);
  json.at("last_error").get_to(walked.last_error);
  json.at("crashes_on_real").get_to(walked.crashes_on_real);
}

namespace {

using Json = nlohmann::ordered_json;

/// The cases of one column: how often each outcome, and each one that is wrong.
struct Column {
  std::array<std::size_t, 4> kinds{};
  std::map<std::string, std::size_t> outcomes;
  std::set<std::string> wrong_operators;
  Json wrong = Json::array();
  std::map<std::string, std::size_t> rules;

  void add(const Walked& walked, const Case& found, const Verdict& verdict) {
    const auto kind = kind_of(verdict.outcome);
    ++kinds[static_cast<std::size_t>(kind)];
    ++outcomes[std::string(id_of(verdict.outcome))];
    if (verdict.outcome == Outcome::Reported) {
      ++rules[verdict.detail];
    }
    if (kind == Kind::Wrong) {
      wrong_operators.insert(walked.name);
      wrong.push_back({{"operator", walked.name},
                       {"position", found.position},
                       {"attempt", found.attempt},
                       {"outcome", id_of(verdict.outcome)},
                       {"detail", verdict.detail}});
    }
  }

  std::size_t count(Kind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
};

}  // namespace

Json summarize(const std::vector<Walked>& operators, std::size_t without_tensor) {
  Column plain;
  Column guarded;
  std::size_t covered = 0;
  std::size_t cases = 0;
  std::size_t crash_on_real = 0;
  std::map<std::string, std::size_t> reasons;
  std::set<std::string> allowed_mixed;
  Json not_covered = Json::array();
  Json refused = Json::array();
  for (const auto& walked : operators) {
    crash_on_real += walked.crashes_on_real > 0 ? 1 : 0;
    if (walked.cases.empty()) {
      ++reasons[walked.not_covered];
      not_covered.push_back({{"operator", walked.name},
                             {"reason", walked.not_covered},
                             {"last_error", walked.last_error}});
      continue;
    }
    ++covered;
    cases += walked.cases.size();
    for (const auto& found : walked.cases) {
      plain.add(walked, found, found.plain);
      guarded.add(walked, found, found.guarded);
      const auto kind = kind_of(found.guarded.outcome);
      if (kind == Kind::Allowed && found.mixed) {
        allowed_mixed.insert(walked.name + '(' + found.position + ')');
      }
      if (kind == Kind::Refused) {
        refused.push_back({{"operator", walked.name},
                           {"position", found.position},
                           {"attempt", found.attempt},
                           {"detail", found.guarded.detail}});
      }
    }
  }
  return {{"total", operators.size()},
          {"covered", covered},
          {"cases", cases},
          {"allowed", guarded.count(Kind::Allowed)},
          {"reported", guarded.count(Kind::Reported)},
          {"refused", guarded.count(Kind::Refused)},
          {"wrong", guarded.count(Kind::Wrong)},
          {"plain_allowed", plain.count(Kind::Allowed)},
          {"plain_refused", plain.count(Kind::Refused)},
          {"plain_wrong", plain.count(Kind::Wrong)},
          {"plain_wrong_operators", plain.wrong_operators.size()},
          {"without_tensor_argument", without_tensor},
          {"crash_on_real_arguments", crash_on_real},
          {"outcomes", guarded.outcomes},
          {"plain_outcomes", plain.outcomes},
          {"rules", guarded.rules},
          {"not_covered", reasons},
          {"wrong_cases", guarded.wrong},
          {"plain_wrong_cases", plain.wrong},
          {"refused_cases", refused},
          {"allowed_mixed", allowed_mixed},
          {"not_covered_operators", not_covered}};
}

void print(const Json& summary) {
  const auto number = [&](const char* key) { return summary.at(key).get<std::size_t>(); };
  fmt::print("{} operators take a tensor, {} were called, in {} positions\n\n", number("total"),
             number("covered"), number("cases"));
  fmt::print("{:<52}{:>10}{:>10}\n", "positions with a tensor without data", "LibTorch", "MetaSan");
  const auto row = [](const char* what, std::size_t plain, std::size_t guarded) {
    fmt::print("{:<52}{:>10}{:>10}\n", what, plain, guarded);
  };
  row("allowed, and right", number("plain_allowed"), number("allowed"));
  row("reported by MetaSan", 0, number("reported"));
  row("refused with LibTorch's own error", number("plain_refused"), number("refused"));
  row("wrong", number("plain_wrong"), number("wrong"));
  fmt::print("\nLibTorch alone is wrong in {} operators\n", number("plain_wrong_operators"));
  for (const auto& [rule, count] : summary.at("rules").items()) {
    fmt::print("  {:<30}{:>6}\n", rule, count.get<std::size_t>());
  }
  fmt::print("\nnot called: {} operators\n", number("total") - number("covered"));
  for (const auto& [reason, count] : summary.at("not_covered").items()) {
    fmt::print("  {:<60}{:>6}\n", reason, count.get<std::size_t>());
  }
  fmt::print("  without a tensor argument, not among them {:>24}\n",
             number("without_tensor_argument"));
  for (const auto& wrong : summary.at("wrong_cases")) {
    fmt::print("WRONG: {} {} (arguments {}): {}: {}\n", wrong.at("operator").get<std::string>(),
               wrong.at("position").get<std::string>(), wrong.at("attempt").get<int>(),
               wrong.at("outcome").get<std::string>(), wrong.at("detail").get<std::string>());
  }
}

}  // namespace metasan::operator_walk
