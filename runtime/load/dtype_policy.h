#pragma once

#include <metasan/load.h>

#include <optional>

namespace metasan::load {

/// The dtype a tensor has after a load: `declared` by its module, `found` in the checkpoint.
/// Nothing when the values cannot be kept: another kind (float, complex, integer, bool), or an
/// integer type that is too narrow.
std::optional<c10::ScalarType> dtype_after_load(c10::ScalarType declared, c10::ScalarType found,
                                                const LoadOptions& options);

/// Throws c10::Error when the options contradict themselves.
void check_dtype_options(const LoadOptions& options);

}  // namespace metasan::load
