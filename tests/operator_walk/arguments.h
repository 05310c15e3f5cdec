#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <cstdint>
#include <stdexcept>

namespace metasan::operator_walk {

/// The schema has an argument of a type that there is no generator for.
class CannotGenerate : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// True for a tensor, as such, optional, or in a list; and for an operator that takes one.
bool takes_tensor(const c10::Argument& argument);
bool takes_tensor(const c10::FunctionSchema& schema);

/// Which values the tensors get, in the same shapes: floating point is positive in the first, and
/// of both signs in the second.
enum class Values : std::uint8_t { First, Second };

/// Arguments with data for a call of the operator. The same for the same name and attempt, in every
/// process; each call makes new tensors. There is no promise that the operator accepts them.
///
/// Sizes in one attempt are mostly one number: square matrices multiply, a vector fits as a bias,
/// the gradient has the shape of the input.
torch::jit::Stack generate_arguments(const c10::OperatorHandle& op, int attempt,
                                     Values values = Values::First);

}  // namespace metasan::operator_walk
