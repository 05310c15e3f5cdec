#pragma once

#include "runtime/guard/violation.h"

#include <string>
#include <vector>

namespace metasan::report {

/// The text of a report, in the sanitizers' form. `stack` is where the violation was found,
/// innermost first.
std::string render(const guard::Violation& violation, const std::vector<void*>& stack);

/// "'encoder.weight' [384, 384] float32", or "a tensor [384, 384] float32" when its module is not
/// known.
std::string describe(const guard::TensorFacts& tensor);

}  // namespace metasan::report
