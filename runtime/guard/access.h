#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <cstddef>
#include <cstdint>

namespace metasan::guard {

/// What an operator does to the elements of one of its tensor arguments.
enum class Access : std::uint8_t {
  None,       ///< looks at metadata only, or returns a view
  Read,       ///< reads them, or reads and writes them
  Write,      ///< writes all of them and reads none
  WritePart,  ///< writes those that other arguments choose, and reads none
  Replace,    ///< gives the tensor other memory, or memory of another size
};

/// From the operator's schema and tags; the exceptions are in access.def. `argument` counts from 0.
Access access_of(const c10::OperatorHandle& op, std::size_t argument);

/// The operator writes to the argument, in whole or in part.
bool is_written(const c10::OperatorHandle& op, std::size_t argument);

/// The operator returns memory that it did not write to: `torch::empty` and its relatives.
bool only_allocates(const c10::OperatorHandle& op);

/// The operator copies the elements of its first argument to new memory and makes nothing else of
/// them: what was never written is copied as such.
bool is_plain_copy(const c10::OperatorHandle& op);

}  // namespace metasan::guard
