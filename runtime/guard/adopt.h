#pragma once

#include "runtime/guard/call.h"
#include "runtime/guard/recorder.h"

#include <c10/util/FunctionRef.h>

namespace metasan::guard {

/// A meta tensor of a kind that can be put under guard.
bool can_carry_record(const at::Tensor& tensor);

/// Puts the meta results of a call under guard, and tells `recorder` of the storages that it made;
/// views of guarded tensors are remembered in their record.
void adopt_results(Call& call, Recorder& recorder, c10::function_ref<RecordPtr()> make_record);

}  // namespace metasan::guard
