#pragma once

#include "runtime/guard/call.h"
#include "runtime/guard/operator_traits.h"
#include "runtime/guard/violation.h"

#include <optional>

/// The rules against errors that LibTorch does not see, from the operator's schema and tags. Over
/// all ATen operators three of them find every silent one: a declared tensor among real ones; the
/// tags that say values are needed; a real result, or a real tensor written, after a call with a
/// declared one.
namespace metasan::guard {

/// What is wrong with a call before it runs.
std::optional<Violation> check_mixed(const Call& call);

/// True when the operator's tags say that it needs values which the call's tensors do not have.
bool needs_values(const Call& call);

/// The violation of an operator that needs values; `torch_text` is what LibTorch said, or empty
/// when it said nothing.
Violation values_needed(const Call& call, std::string torch_text);

/// What is wrong with the results of a call that LibTorch let pass.
std::optional<Violation> check_results(const Call& call);

/// True when LibTorch threw `error` because a tensor of the call has no data: there is no Meta
/// kernel, the devices differ, or memory was asked for. Errors about shapes and the like are not
/// the guard's.
bool is_about_missing_data(const c10::Error& error);

/// The violation behind such an error.
Violation violation_of(const Call& call, const c10::Error& error);

}  // namespace metasan::guard
