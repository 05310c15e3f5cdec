#include "tests/operator_walk/summary.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <string>

namespace metasan::operator_walk {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Verdict, outcome, detail)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Case, state, position, attempt, mixed, plain, guarded)

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

/// The cases in one state as one of the two has them: how often each outcome, and each one that is
/// wrong.
struct Column {
  std::array<std::size_t, 5> kinds{};
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

/// The cases in one state.
struct Section {
  std::size_t cases = 0;
  Column plain;
  Column guarded;
  Json refused = Json::array();
  std::map<std::string, std::size_t> known;
  std::set<std::string> allowed_mixed;

  void add(const Walked& walked, const Case& found) {
    ++cases;
    plain.add(walked, found, found.plain);
    guarded.add(walked, found, found.guarded);
    const auto kind = kind_of(found.guarded.outcome);
    if (kind == Kind::Allowed && found.mixed) {
      allowed_mixed.insert(walked.name + '(' + found.position + ')');
    }
    if (kind == Kind::Known) {
      ++known[found.guarded.detail];
    }
    if (kind == Kind::Refused) {
      refused.push_back({{"operator", walked.name},
                         {"position", found.position},
                         {"attempt", found.attempt},
                         {"detail", found.guarded.detail}});
    }
  }

  Json to_json() const {
    return {{"cases", cases},
            {"allowed", guarded.count(Kind::Allowed)},
            {"reported", guarded.count(Kind::Reported)},
            {"refused", guarded.count(Kind::Refused)},
            {"wrong", guarded.count(Kind::Wrong)},
            {"known", guarded.count(Kind::Known)},
            {"plain_allowed", plain.count(Kind::Allowed)},
            {"plain_refused", plain.count(Kind::Refused)},
            {"plain_wrong", plain.count(Kind::Wrong)},
            {"plain_wrong_operators", plain.wrong_operators.size()},
            {"outcomes", guarded.outcomes},
            {"plain_outcomes", plain.outcomes},
            {"rules", guarded.rules},
            {"wrong_cases", guarded.wrong},
            {"plain_wrong_cases", plain.wrong},
            {"known_reasons", known},
            {"refused_cases", refused},
            {"allowed_mixed", allowed_mixed}};
  }
};

}  // namespace

Json summarize(const std::vector<Walked>& operators, std::size_t without_tensor) {
  std::array<Section, std::size(kStates)> sections;
  std::size_t covered = 0;
  std::size_t crash_on_real = 0;
  std::map<std::string, std::size_t> reasons;
  Json not_covered = Json::array();
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
    for (const auto& found : walked.cases) {
      sections.at(static_cast<std::size_t>(found.state)).add(walked, found);
    }
  }
  Json states = Json::object();
  Json totals = Json::object();
  for (const auto state : kStates) {
    const auto section = sections.at(static_cast<std::size_t>(state)).to_json();
    for (const char* key : {"cases", "allowed", "reported", "refused", "wrong", "known"}) {
      totals[key] = totals.value(key, std::size_t{0}) + section.at(key).get<std::size_t>();
    }
    states[std::string(to_string(state))] = section;
  }
  Json summary{{"total", operators.size()}, {"covered", covered}};
  summary.update(totals);
  summary.update({{"without_tensor_argument", without_tensor},
                  {"crash_on_real_arguments", crash_on_real},
                  {"not_covered", reasons},
                  {"states", states},
                  {"not_covered_operators", not_covered}});
  return summary;
}

namespace {

std::size_t number(const Json& json, const char* key) {
  return json.at(key).get<std::size_t>();
}

/// Under LibTorch alone there are no offloaded tensors: their column has MetaSan's side only.
void print_states(const Json& states) {
  struct Row {
    const char* what;
    const char* plain;
    const char* guarded;
  };
  constexpr Row kRows[] = {
      {"allowed, and right", "plain_allowed", "allowed"},
      {"reported by MetaSan", nullptr, "reported"},
      {"refused with LibTorch's own error", "plain_refused", "refused"},
      {"wrong", "plain_wrong", "wrong"},
      {"wrong, and known (known.def)", nullptr, "known"},
  };
  fmt::print("{:<36}", "");
  for (const auto& [state, section] : states.items()) {
    fmt::print("{:>22}", fmt::format("{} ({})", state, number(section, "cases")));
  }
  fmt::print("\n{:<36}", "tensors at one position of a call");
  for (const auto& [state, section] : states.items()) {
    fmt::print("{:>12}{:>10}", state == to_string(State::Offloaded) ? "" : "LibTorch", "MetaSan");
  }
  for (const auto& [what, plain, guarded] : kRows) {
    fmt::print("\n{:<36}", what);
    for (const auto& [state, section] : states.items()) {
      const bool has_plain = plain != nullptr && state != to_string(State::Offloaded);
      fmt::print("{:>12}{:>10}", has_plain ? std::to_string(number(section, plain)) : "",
                 number(section, guarded));
    }
  }
  fmt::print("\n");
}

}  // namespace

void print(const Json& summary) {
  fmt::print("{} operators take a tensor, {} were called\n\n", number(summary, "total"),
             number(summary, "covered"));
  const auto& states = summary.at("states");
  print_states(states);
  for (const auto& [state, section] : states.items()) {
    fmt::print("\n{}: LibTorch alone is wrong in {} operators; MetaSan's reports by rule\n", state,
               number(section, "plain_wrong_operators"));
    for (const auto& [rule, count] : section.at("rules").items()) {
      fmt::print("  {:<30}{:>6}\n", rule, count.get<std::size_t>());
    }
    for (const auto& [reason, count] : section.at("known_reasons").items()) {
      fmt::print("  known: {:<40}{:>6}\n", reason, count.get<std::size_t>());
    }
  }
  fmt::print("\nnot called: {} operators\n", number(summary, "total") - number(summary, "covered"));
  for (const auto& [reason, count] : summary.at("not_covered").items()) {
    fmt::print("  {:<60}{:>6}\n", reason, count.get<std::size_t>());
  }
  fmt::print("  without a tensor argument, not among them {:>24}\n",
             number(summary, "without_tensor_argument"));
  for (const auto& [state, section] : states.items()) {
    for (const auto& wrong : section.at("wrong_cases")) {
      fmt::print("WRONG: {} {} {} (arguments {}): {}: {}\n",
                 wrong.at("operator").get<std::string>(), state,
                 wrong.at("position").get<std::string>(), wrong.at("attempt").get<int>(),
                 wrong.at("outcome").get<std::string>(), wrong.at("detail").get<std::string>());
    }
  }
}

}  // namespace metasan::operator_walk
