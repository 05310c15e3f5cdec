#pragma once

#include <metasan/options.h>

#include "runtime/options/suppressions.h"

#include <string>
#include <string_view>
#include <vector>

namespace metasan {

/// The options, and what was read from the files that they name. Immutable once they hold.
struct Settings {
  Options options;
  Suppressions suppressions;
};

/// What holds now. Costs one atomic load; lives as long as the process. Thread safe.
const Settings& settings();

/// Everything that held at some time in this process, for what is said at its end.
std::vector<const Settings*> all_settings();

/// What help and documentation say about one option.
struct OptionInfo {
  std::string_view name;
  std::string values;         ///< "throw|report|abort|heal", "0|1", "number", "text"
  std::string default_value;  ///< as one would write it
  std::string_view help;
};
std::vector<OptionInfo> option_infos();

/// What `help=1` prints.
std::string options_help();

}  // namespace metasan
