//===- CheckpointSearch.h - The checkpoint that code names nearby ------------===//
#ifndef METASAN_ANALYZER_FINDINGS_CHECKPOINT_SEARCH_H
#define METASAN_ANALYZER_FINDINGS_CHECKPOINT_SEARCH_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

#include <optional>
#include <string>

namespace metasan::analysis {

struct CallSite {
  /// The call is a statement of its own in a block, so that it can be replaced by another or
  /// removed.
  bool IsStatement = false;
  /// The spelling of a checkpoint usable at the call: a variable in scope, or a literal.
  std::optional<std::string> Checkpoint;
};

/// Looks at Function from its start to the call. A variable counts when it holds a path or a string
/// and is called like a checkpoint, or is what another load in the function reads.
CallSite inspectCallSite(const clang::CallExpr &Call, const clang::FunctionDecl &Function,
                         const clang::ASTContext &AST);

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_FINDINGS_CHECKPOINT_SEARCH_H
