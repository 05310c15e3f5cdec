//===- Functions.h - What there is to analyze --------------------------------===//
#ifndef METASAN_ANALYZER_FRONTEND_FUNCTIONS_H
#define METASAN_ANALYZER_FRONTEND_FUNCTIONS_H

#include "clang/AST/Decl.h"
#include "llvm/ADT/SetVector.h"

namespace metasan::frontend {

using FunctionSet = llvm::SetVector<const clang::FunctionDecl *>;

/// Adds the functions with a body in Top: a template's instances, not the template.
void addFunctionsIn(clang::Decl *Top, FunctionSet &Found);

/// The same, but nothing when Top is in a system header: LibTorch has tens of thousands of
/// functions, and whole declarations are left out before anything looks into them.
void addOwnFunctionsIn(clang::Decl *Top, const clang::SourceManager &Sources, FunctionSet &Found);

} // namespace metasan::frontend

#endif // METASAN_ANALYZER_FRONTEND_FUNCTIONS_H
