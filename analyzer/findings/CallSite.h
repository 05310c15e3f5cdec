//===- CallSite.h - Where an expression stands in its function ---------------===//
#ifndef METASAN_ANALYZER_FINDINGS_CALL_SITE_H
#define METASAN_ANALYZER_FINDINGS_CALL_SITE_H

#include "clang/AST/ExprCXX.h"

#include <optional>
#include <vector>

namespace metasan::analysis {

struct CallSite {
  /// The expression is a statement of its own in this block, so that it can be replaced by another
  /// or removed; null when it is part of a larger one.
  const clang::CompoundStmt *Block = nullptr;
  /// The statements of the block after it.
  llvm::ArrayRef<const clang::Stmt *> After;
  /// The variables, parameters and fields that can be named there, the innermost last.
  std::vector<const clang::ValueDecl *> InScope;

  /// The declaration that Name stands for, if it is one of InScope.
  const clang::ValueDecl *lookUp(clang::DeclarationName Name) const;
  bool canName(const clang::ValueDecl *D) const { return lookUp(D->getDeclName()) == D; }
};

/// Looks from the start of the function to the expression; nothing when it is not in the body.
std::optional<CallSite> locate(const clang::Expr &E, const clang::FunctionDecl &Function);

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_FINDINGS_CALL_SITE_H
