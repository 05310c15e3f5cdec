// The texts of options: reading them, and describing them for help and documentation.
#include <metasan/options.h>

#include "runtime/options/names.h"
#include "runtime/options/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace metasan {
namespace {

template <typename Enum>
struct Choice {
  Enum value;
  std::string_view text;
};

constexpr auto kActions = std::to_array<Choice<Action>>({
#define METASAN_ACTION(Enumerator, Text) {Action::Enumerator, Text},
#include <metasan/options.def>
});
constexpr auto kColors = std::to_array<Choice<Color>>({
#define METASAN_COLOR(Enumerator, Text) {Color::Enumerator, Text},
#include <metasan/options.def>
});
constexpr auto kPoisons = std::to_array<Choice<Poison>>({
#define METASAN_POISON(Enumerator, Text) {Poison::Enumerator, Text},
#include <metasan/options.def>
});
constexpr auto kBools = std::to_array<Choice<bool>>({{false, "0"}, {true, "1"}});

constexpr const auto& choices(Action) {
  return kActions;
}
constexpr const auto& choices(Color) {
  return kColors;
}
constexpr const auto& choices(Poison) {
  return kPoisons;
}
constexpr const auto& choices(bool) {
  return kBools;
}

// What a value of each type looks like ...
template <typename T>
std::string values_of(const T& value) {
  std::vector<std::string_view> texts;
  for (const auto& choice : choices(value)) {
    texts.push_back(choice.text);
  }
  return fmt::format("{}", fmt::join(texts, "|"));
}
std::string values_of(const int&) {
  return "number";
}
std::string values_of(const std::string&) {
  return "text";
}

// ... how it is written ...
template <typename T>
std::string text_of(const T& value) {
  for (const auto& choice : choices(value)) {
    if (choice.value == value) {
      return std::string(choice.text);
    }
  }
  return "";
}
std::string text_of(const int& value) {
  return std::to_string(value);
}
std::string text_of(const std::string& value) {
  return value;
}

// ... and read; false when the text is none.
template <typename T>
bool read_value(std::string_view text, T& value) {
  for (const auto& choice : choices(value)) {
    if (choice.text == text) {
      value = choice.value;
      return true;
    }
  }
  return false;
}
bool read_value(std::string_view text, bool& value) {
  value = text == "1" || text == "true" || text == "yes";
  return value || text == "0" || text == "false" || text == "no";
}
bool read_value(std::string_view text, int& value) {
  const auto* end = text.data() + text.size();
  return std::from_chars(text.data(), end, value) == std::from_chars_result{end, std::errc()} &&
         value >= 0;
}
bool read_value(std::string_view text, std::string& value) {
  value = text;
  return true;
}

[[noreturn]] void fail_bad_value(std::string_view name, std::string_view text,
                                 const std::string& values) {
  throw std::invalid_argument(
      fmt::format("option '{}' cannot be {}; expected {}", name, quote(text), values));
}

[[noreturn]] void fail_unknown(std::string_view name) {
  constexpr auto kNames = std::to_array<std::string_view>({
#define METASAN_OPTION(Name, ...) #Name,
#include <metasan/options.def>
  });
  const auto nearest = nearest_name(name, kNames);
  throw std::invalid_argument(
      fmt::format("no option is called {}; {}", quote(name),
                  nearest ? fmt::format("did you mean '{}'?", *nearest) : "help=1 lists them"));
}

void set_option(Options& options, std::string_view name, std::string_view text) {
#define METASAN_OPTION(Name, ...)                          \
  if (name == #Name) {                                     \
    if (!read_value(text, options.Name)) {                 \
      fail_bad_value(name, text, values_of(options.Name)); \
    }                                                      \
    return;                                                \
  }
#include <metasan/options.def>
  fail_unknown(name);
}

/// Takes the value at the front of `text` off it, up to the next ':' that is not in quotes.
std::string_view take_value(std::string_view& text) {
  const char quote_mark = text.empty() ? '\0' : text.front();
  if (quote_mark == '"' || quote_mark == '\'') {
    const auto end = text.find(quote_mark, 1);
    if (end == text.npos) {
      throw std::invalid_argument(fmt::format("a quote is not closed: {}", text));
    }
    const auto value = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    if (!text.empty() && text.front() != ':') {
      throw std::invalid_argument(fmt::format("expected ':' after a quote, found {}", quote(text)));
    }
    return value;
  }
  const auto value = text.substr(0, text.find(':'));
  text.remove_prefix(value.size());
  return value;
}

}  // namespace

Options parse_options(std::string_view text, const Options& base) {
  Options options = base;
  while (!text.empty()) {
    if (text.front() == ':') {
      text.remove_prefix(1);
      continue;
    }
    const auto name = text.substr(0, text.find_first_of("=:"));
    text.remove_prefix(name.size());
    if (!text.starts_with('=')) {
      throw std::invalid_argument(fmt::format("{} is not of the form option=value", quote(name)));
    }
    text.remove_prefix(1);
    set_option(options, name, take_value(text));
  }
  return options;
}

std::vector<OptionInfo> option_infos() {
  const Options defaults;
  return {
#define METASAN_OPTION(Name, Type, Default, Help) \
  {#Name, values_of(defaults.Name), text_of(defaults.Name), Help},
#include <metasan/options.def>
  };
}

std::string options_help() {
  constexpr std::size_t kWidth = 76;
  std::string text = "MetaSan: options, as in METASAN_OPTIONS=option=value:option=value\n";
  for (const auto& option : option_infos()) {
    text += fmt::format("  {}={}  (default: {})\n", option.name, option.values,
                        option.default_value.empty() ? "none" : option.default_value);
    for (auto help = option.help; !help.empty();) {
      const auto end = help.size() <= kWidth ? help.size() : help.rfind(' ', kWidth);
      text += fmt::format("      {}\n", help.substr(0, end));
      help.remove_prefix(std::min(end + 1, help.size()));
    }
  }
  return text;
}

}  // namespace metasan
