#pragma once

#include <source_location>

namespace metasan::guard {

/// True while this thread is inside an InitEmptyWeights scope.
bool in_empty_scope();

/// Where the innermost scope of this thread was opened; meaningful only inside one.
const std::source_location& empty_scope_location();

}  // namespace metasan::guard
