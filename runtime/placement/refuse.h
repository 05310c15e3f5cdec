#pragma once

#include "runtime/load/slots.h"

#include <string>
#include <vector>

namespace metasan::placement {

/// Throws MetaTensorError when a tensor has no data (`dispatch-without-weights`) or was not written
/// in full (`uninitialized-read`). `function` is the one of MetaSan that was called.
void refuse_without_data(const std::vector<load::Slot>& slots, const std::string& function);

}  // namespace metasan::placement
