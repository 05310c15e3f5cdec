#pragma once

#include "runtime/guard/violation.h"

#include <string>

namespace metasan::report {

/// Says that a violation was put right; `what` is what was done: "loaded 2 tensors (4096 bytes)
/// from model.safetensors". Printed once for each place in the code. Thread safe.
void report_healed(const guard::Violation& violation, const std::string& what);

}  // namespace metasan::report
