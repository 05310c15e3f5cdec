#pragma once

#include "runtime/report/debug_info.h"

#include <vector>

namespace metasan::report {

/// The frames of a stack of return addresses as captured, innermost first. Thread safe; addresses
/// seen before cost nothing.
std::vector<Frame> symbolize(const std::vector<void*>& stack);

/// The innermost frame of user code, or nullptr.
const Frame* user_frame(const std::vector<Frame>& frames);

}  // namespace metasan::report
