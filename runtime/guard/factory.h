#pragma once

#include "runtime/guard/call.h"

#include <string>

/// Operators without tensors among their arguments, called inside the empty scope.
namespace metasan::guard {

/// torch::tensor(values) makes its tensor below Autograd but not below ADInplaceOrView, which
/// nothing else does: such a tensor carries data that exists, and keeps it.
bool carries_data();

/// torch::load and torch::jit::load make each tensor as `empty({0}, device)`, and then give it the
/// storage that they read: data that exists. A tensor without elements has nothing to declare.
bool begins_loaded_tensor(const Call& call);

/// Runs a factory on the meta device, and puts what it returns under guard and on the tape.
void run_factory(Call& call);

/// The record of a tensor that `call` declares; `overridden_device` is the explicit device that the
/// scope overrode, or "".
RecordPtr new_declaration(const Call& call, std::string overridden_device);

}  // namespace metasan::guard
