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

namespace metasan::analysis {

struct FixPlan {
  std::vector<clang::FixItHint> Edits;
  bool NeedsLoadHeader = false; ///< the edits call what metasan/load.h declares
  std::string Advice;           ///< what to do instead, when there are no edits; may be empty
};

/// CheckpointPath is used where the code names no checkpoint; empty when the user gave none.
FixPlan planFix(const Diagnosis &D, const clang::ASTContext &AST, llvm::StringRef CheckpointPath);

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_FINDINGS_FIXES_H
