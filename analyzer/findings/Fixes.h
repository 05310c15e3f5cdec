//===- Fixes.h - Edits that repair a finding ---------------------------------===//
//
// An edit is offered only where the result compiles and does the right thing; otherwise there is
// advice for a note.
//
//===----------------------------------------------------------------------===//
#ifndef METASAN_ANALYZER_FINDINGS_FIXES_H
#define METASAN_ANALYZER_FINDINGS_FIXES_H

#include "findings/Diagnosis.h"

#include "clang/Basic/Diagnostic.h"

#include <functional>
#include <optional>

namespace metasan::analysis {

struct FixPlan {
  std::vector<clang::FixItHint> Edits;
  /// The header that declares what the edits call: "metasan/load.h"; empty when they need none.
  llvm::StringRef Header;
  std::string Advice; ///< what to do instead, when there are no edits; may be empty
};

/// The checkpoint that a rule's fixes name where the code names none, empty when the user gave
/// none; nothing when the rule is off, so that its fixes are not offered.
using CheckpointOption = std::function<std::optional<std::string>(Rule)>;

/// InFunction: all findings of D's function, since a fix may rest on another's.
FixPlan planFix(const Diagnosis &D, llvm::ArrayRef<Diagnosis> InFunction,
                const clang::ASTContext &AST, const CheckpointOption &Option);

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_FINDINGS_FIXES_H
