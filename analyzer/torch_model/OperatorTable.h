//===- OperatorTable.h - What LibTorch's dispatcher knows of an operator -----===//
//
// Answers by name, as code in C++ spells it, from three tables: aten_ops.def, generated from the
// dispatcher; metadata_only.def, which the runtime reads too; and untagged_reads.def, for what the
// dispatcher does not say.
//
//===----------------------------------------------------------------------===//
#ifndef METASAN_ANALYZER_TORCH_MODEL_OPERATOR_TABLE_H
#define METASAN_ANALYZER_TORCH_MODEL_OPERATOR_TABLE_H

#include "llvm/ADT/StringRef.h"

namespace metasan::analysis {

/// The traits of all overloads of a name together.
struct OperatorTraits {
  bool DataDependent = false;     ///< needs the values of its tensors
  bool Random = false;            ///< draws from a random number generator
  bool View = false;              ///< returns what may share the storage of an argument
  bool Writes = false;            ///< writes an argument that is not an out=
  bool NeedsOnlyMetadata = false; ///< a tensor argument may be empty beside real ones
};

/// \p Name is that of a function in at:: or torch::, or of a method of at::Tensor: "masked_select",
/// "add_", "nonzero_out", "operator<<". A name that no table has gets no trait.
OperatorTraits traitsOf(llvm::StringRef Name);

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_TORCH_MODEL_OPERATOR_TABLE_H
