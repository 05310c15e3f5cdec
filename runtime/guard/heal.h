#pragma once

#include "runtime/guard/record.h"
#include "runtime/guard/violation.h"

#include <vector>

namespace metasan::guard {

/// Gives the tensors behind `records` their data, where the options ask for that and a checkpoint
/// is bound to them; `violation` is what would be reported otherwise. True when at least one of
/// them got its data.
using Healer = bool (*)(const Violation& violation, const std::vector<RecordPtr>& records);

/// Installed by the load folder.
void set_healer(Healer healer);

bool heal(const Violation& violation, const std::vector<RecordPtr>& records);

}  // namespace metasan::guard
