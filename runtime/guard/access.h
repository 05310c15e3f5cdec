#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <cstddef>
#include <cstdint>

namespace metasan::guard {

/// What an operator does to the elements of one of its tensor arguments.
enum class Access : std::uint8_t {
  None,       ///< looks at metadata only, or makes a view, or makes the tensor one
  Ignore,     ///< may read them, but nothing that it gives depends on them
  Read,       ///< reads them, or reads and writes them
  Write,      ///< writes all of them and reads none
  WritePart,  ///< writes those that other arguments choose, and reads none
  Resize,     ///< keeps those that there still are, and may add some without a value
  Replace,    ///< gives the tensor another storage
};

/// From the operator's schema and tags; the exceptions are in access.def. `argument` counts from 0.
Access access_of(const c10::OperatorHandle& op, std::size_t argument);

/// The operator may change elements of the argument, or which storage it has.
bool is_written(const c10::OperatorHandle& op, std::size_t argument);

/// The operator returns memory that it did not write to: `torch::empty` and its relatives.
bool only_allocates(const c10::OperatorHandle& op);

/// The operator copies the elements of its first argument to new memory and makes nothing else of
/// them: what was never written is copied as such.
bool is_plain_copy(const c10::OperatorHandle& op);

}  // namespace metasan::guard
