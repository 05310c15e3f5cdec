#pragma once

#include <torch/nn/module.h>

#include <string>
#include <utility>
#include <vector>

namespace metasan::guard {

/// Every parameter and buffer of a module with its fully qualified name, in registration order,
/// tied ones under each of their names.
std::vector<std::pair<std::string, at::Tensor>> named_tensors(const torch::nn::Module& module);

/// Writes the fully qualified names into the records of a module's tensors; a tied tensor keeps its
/// first name.
void name_tensors(const torch::nn::Module& module);

/// Installed by the load folder: called with a module that the user had named.
void on_named(void (*listener)(const torch::nn::Module& module));
void tell_named(const torch::nn::Module& module);

}  // namespace metasan::guard
