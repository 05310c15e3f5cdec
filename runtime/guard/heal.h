#pragma once

#include "runtime/guard/call.h"
#include "runtime/guard/record.h"
#include "runtime/guard/violation.h"

#include <optional>
#include <vector>

namespace metasan::guard {

/// Where the options ask for it, loads the tensors behind `records` from the checkpoints that are
/// bound to them, and says so in place of `violation`. True when at least one of them got its data:
/// the call can be tried again.
bool heal(const Violation& violation, const std::vector<RecordPtr>& records,
          std::optional<c10::Device> device);

/// The device on which a call needs its tensors: the one that it moves to, or that of its other
/// tensors.
std::optional<c10::Device> device_of(const Call& call);

}  // namespace metasan::guard
