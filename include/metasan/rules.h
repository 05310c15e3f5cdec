#pragma once

#include <metasan/export.h>

#include <array>
#include <cstdint>
#include <string_view>

/// The rules, as generated from rules.def. Needs neither LibTorch nor LLVM.
namespace metasan {

enum class Rule : std::uint8_t {
#define METASAN_RULE(Enumerator, ...) Enumerator,
#include <metasan/rules.def>
};

enum class Severity : std::uint8_t { Warning, Error };

struct RuleInfo {
  Rule rule;
  std::string_view id;  ///< what users see: "meta-copy-out"
  Severity severity;
  bool in_analyzer;
  bool in_runtime;
  std::string_view summary;
  std::string_view fix;
};

inline constexpr auto kRules = std::to_array<RuleInfo>({
#define METASAN_RULE(Enumerator, Id, Sev, InAnalyzer, InRuntime, Summary, Fix) \
  {Rule::Enumerator, Id, Severity::Sev, InAnalyzer == 1, InRuntime == 1, Summary, Fix},
#include <metasan/rules.def>
});

constexpr const RuleInfo& info(Rule rule) {
  return kRules[static_cast<std::size_t>(rule)];
}

}  // namespace metasan
