#pragma once

#include "runtime/report/report.h"

namespace metasan::report {

/// Counts a report that is to be printed. False when it is not, as one of the same place was before
/// and option deduplicate is on. Thread safe.
bool count(const Report& report);

void count_suppressed();

/// What is said at the end of the process: reports that were left out, suppressions that were used,
/// and, with option verbosity, the number of reports. Empty when there is nothing to say.
std::string closing_words();

/// True when an error was printed.
bool printed_errors();

}  // namespace metasan::report
