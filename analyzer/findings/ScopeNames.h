//===- ScopeNames.h - Whether and how an unnamed scope can be named -----------===//
#ifndef METASAN_ANALYZER_FINDINGS_SCOPE_NAMES_H
#define METASAN_ANALYZER_FINDINGS_SCOPE_NAMES_H

#include "findings/CallSite.h"
#include "torch_model/ApiModel.h"

#include <string>

namespace metasan::analysis {

/// Nothing that follows in the block would go wrong under the scope: it builds modules, and neither
/// loads, computes nor makes other tensors.
bool onlyBuilds(llvm::ArrayRef<const clang::Stmt *> Following, ApiModel &Api, TypeOracle &Types);

/// A name for a new variable in the function, which nothing there has or refers to; not the first
/// Skip ones, which others get.
std::string freeName(llvm::StringRef Wanted, unsigned Skip, const clang::FunctionDecl &Function);

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_FINDINGS_SCOPE_NAMES_H
