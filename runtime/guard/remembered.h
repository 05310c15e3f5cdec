#pragma once

#include "runtime/guard/record.h"

#include <optional>

/// What MetaSan remembers of tensors with data, which are not under guard: operators on them cost
/// nothing. Thread safe.
namespace metasan::guard {

/// Where a tensor comes from, kept for the state it may enter next: an offloaded tensor says that
/// it was loaded from this file.
void remember(const at::Tensor& tensor, const RecordPtr& record);

/// The record that was remembered, or null.
RecordPtr recall(const at::Tensor& tensor);

/// The tensor belongs to a module that was dispatched, and is on the device it was given.
void set_placed(const at::Tensor& tensor, const std::string& name);
void clear_placed(const at::Tensor& tensor);
bool is_placed(const at::Tensor& tensor);

/// Reports that a tensor of a dispatched or offloaded module gets data on another device than it
/// is on, which is what `Module::to(device)` does to it.
void check_move(const at::Tensor& tensor, const at::Tensor& replacement);

}  // namespace metasan::guard
