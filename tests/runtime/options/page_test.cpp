// The page about the options agrees with their table.
#include "runtime/options/settings.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace metasan {
namespace {

std::string expected_table() {
  std::string table = "| option | values | default | |\n|---|---|---|---|\n";
  for (const auto& option : option_infos()) {
    std::string values = "`" + option.values + "`";
    for (auto bar = values.find('|'); bar != values.npos; bar = values.find('|', bar + 4)) {
      values.replace(bar, 1, "`, `");
    }
    if (values == "`number`" || values == "`text`") {
      values = option.values;
    }
    table += "| `" + std::string(option.name) + "` | " + values + " | " +
             (option.default_value.empty() ? "" : "`" + option.default_value + "`") + " | " +
             std::string(option.help) + " |\n";
  }
  return table;
}

TEST(OptionsPage, HasTheTable) {
  const auto page =
      std::filesystem::path(__FILE__).parent_path() / "../../../docs/guides/runtime-options.md";
  std::stringstream text;
  text << std::ifstream(page).rdbuf();
  EXPECT_NE(text.str().find("\n" + expected_table() + "\n"), std::string::npos)
      << "docs/guides/runtime-options.md should have this table:\n\n"
      << expected_table();
}

}  // namespace
}  // namespace metasan
