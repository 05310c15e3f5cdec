//===- UnnamedScopes.h - Scope objects that end at their own semicolon -------===//
#ifndef METASAN_ANALYZER_FINDINGS_UNNAMED_SCOPES_H
#define METASAN_ANALYZER_FINDINGS_UNNAMED_SCOPES_H

#include "findings/Diagnosis.h"
#include "torch_model/Types.h"

namespace metasan::analysis {

/// Adds a finding for every statement of the function, its lambdas left out, that is nothing but an
/// InitEmptyWeights object. No question of flow: such an object covers nothing.
void findUnnamedScopes(const clang::FunctionDecl &Function, TypeOracle &Types,
                       std::vector<Diagnosis> &Findings);

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_FINDINGS_UNNAMED_SCOPES_H
