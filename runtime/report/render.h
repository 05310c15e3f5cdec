#pragma once

#include "runtime/report/report.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace metasan::report {

enum class Style : std::uint8_t { Plain, Colored };

/// The text of a report, in the sanitizers' form, with at most `stack_depth` frames; no newline at
/// its end.
std::string render(const Report& report, std::size_t stack_depth, Style style = Style::Plain);

}  // namespace metasan::report
