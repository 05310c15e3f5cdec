#include "torch_model/OperatorTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace metasan::analysis {
namespace {

const llvm::StringMap<OperatorTraits> &table() {
  static const auto *Table = [] {
    auto *Result = new llvm::StringMap<OperatorTraits>;
#define METASAN_ATEN_OP(Name, Trait) (*Result)[Name].Trait = true;
#include "torch_model/aten_ops.def"
#define METASAN_UNTAGGED_READ(Name, Reason) (*Result)[Name].DataDependent = true;
#include "torch_model/untagged_reads.def"
    return Result;
  }();
  return *Table;
}

/// \p Pattern is a name of metadata_only.def: with a namespace, or with '*' at one end.
bool matches(llvm::StringRef Pattern, llvm::StringRef Name) {
  Pattern.consume_front("aten::");
  if (Pattern.consume_front("*"))
    return Name.ends_with(Pattern);
  if (Pattern.consume_back("*"))
    return Name.starts_with(Pattern);
  return Name == Pattern;
}

bool needsOnlyMetadata(llvm::StringRef Name) {
  static constexpr llvm::StringLiteral Patterns[] = {
#define METASAN_METADATA_ONLY(Name, Reason) llvm::StringLiteral(Name),
#include "metasan/metadata_only.def"
  };
  return llvm::any_of(Patterns, [&](llvm::StringRef Pattern) { return matches(Pattern, Name); });
}

/// In-place operators end in '_'; of the names in Python's style, "__iand__" is one and "__and__"
/// is not. The generator of aten_ops.def checks this for all operators.
bool nameSaysWrites(llvm::StringRef Name) {
  return Name.ends_with("__") ? Name.starts_with("__i") : Name.ends_with("_");
}

} // namespace

OperatorTraits traitsOf(llvm::StringRef Name) {
  // The two C++ forms of an overload with out= differ in the order of their arguments only.
  if (Name.ends_with("_outf"))
    Name = Name.drop_back();
  OperatorTraits Traits = table().lookup(Name);
  Traits.Writes |= nameSaysWrites(Name);
  Traits.NeedsOnlyMetadata = needsOnlyMetadata(Name);
  return Traits;
}

} // namespace metasan::analysis
