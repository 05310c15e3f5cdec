#pragma once

#include <span>
#include <string>
#include <string_view>

namespace metasan::load {

/// True when a name is one of the patterns; `*` in a pattern stands for any run of characters.
bool matches_any(std::string_view name, std::span<const std::string> patterns);

}  // namespace metasan::load
