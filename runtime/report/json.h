#pragma once

#include "runtime/report/report.h"

#include <cstddef>
#include <string>

namespace metasan::report {

/// A report as one line of JSON, with at most `stack_depth` frames; no newline at its end. What is
/// not known is null or an empty list. docs/guides/runtime-options.md lists the fields.
std::string to_json(const Report& report, std::size_t stack_depth);

}  // namespace metasan::report
