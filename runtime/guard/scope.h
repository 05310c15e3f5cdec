#pragma once

#include "runtime/guard/tape.h"

#include <source_location>

namespace metasan::guard {

/// True while this thread is inside an InitEmptyWeights scope.
bool in_empty_scope();

/// Where the innermost scope of this thread was opened; meaningful only inside one.
const std::source_location& empty_scope_location();

/// The tape of this thread's scope, one for all that are nested; null outside one.
const TapePtr& empty_scope_tape();

}  // namespace metasan::guard
