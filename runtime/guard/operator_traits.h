#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace metasan::guard {

/// What the rules ask of an operator, from its tags and the tables of exceptions.
struct OperatorTraits {
  bool only_metadata;      ///< looks at nothing but metadata (metadata_only.def)
  bool wrong_meta_kernel;  ///< its Meta kernel cannot be believed (wrong_meta_kernels.def)
  bool by_element;         ///< treats the elements of its lists one by one: aten::_foreach_*
  bool data_dependent;     ///< has the tag data_dependent_output
  bool dynamic_shape;      ///< has the tag dynamic_output_shape
};

/// Looked up once per operator and thread. Valid until the next call in this thread.
const OperatorTraits& traits_of(const c10::OperatorHandle& op);

inline bool only_metadata(const c10::OperatorHandle& op) {
  return traits_of(op).only_metadata;
}

}  // namespace metasan::guard
