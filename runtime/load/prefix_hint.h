#pragma once

#include <span>
#include <string>
#include <string_view>

namespace metasan::load {

/// When the names of a module and of a checkpoint differ by one dotted prefix ("bert.", "model."),
/// says so in a line with the number of names that would match; empty otherwise. `missing` are
/// names that only the module has, `unexpected` names that only the checkpoint has.
std::string prefix_hint(std::span<const std::string> missing,
                        std::span<const std::string> unexpected);

}  // namespace metasan::load
