#pragma once

#include "runtime/load/slots.h"

#include <c10/core/Device.h>

#include <vector>

namespace metasan::placement {

/// Moves the tensors that have data and are elsewhere, in place; tensors that share storage go on
/// sharing it. Those without data stay as they are. Changes nothing when it throws.
void move_to(const std::vector<load::Slot>& slots, c10::Device device);

}  // namespace metasan::placement
