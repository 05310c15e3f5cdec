//===- Escapes.h - Variables that lambdas can change at any time -------------===//
#ifndef METASAN_ANALYZER_ENGINE_ESCAPES_H
#define METASAN_ANALYZER_ENGINE_ESCAPES_H

#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseSet.h"

namespace metasan::analysis {

/// The variables captured by reference in lambdas whose calls are not all visible in the function.
/// A lambda that is called where it is written, or held in a variable that is only called, does not
/// count: its body is analyzed at the call.
llvm::DenseSet<const clang::ValueDecl *> escapedVariables(const clang::Stmt *Body);

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_ENGINE_ESCAPES_H
