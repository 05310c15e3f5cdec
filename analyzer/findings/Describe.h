//===- Describe.h - The words of a finding -----------------------------------===//
#ifndef METASAN_ANALYZER_FINDINGS_DESCRIBE_H
#define METASAN_ANALYZER_FINDINGS_DESCRIBE_H

#include "engine/Evaluator.h"
#include "engine/Transfer.h"
#include "findings/Diagnosis.h"

namespace metasan::analysis {

/// The spelling of an expression, when it is short enough to be a name: "model",
/// "model->fc->weight".
std::string nameOf(const clang::Expr *E, const clang::ASTContext &AST);

/// Message, notes and range of a use that Certainty says is wrong. Culprit is the object it is
/// about; null when it is about none.
Diagnosis describe(const Use &At, Confidence Certainty, const Node *Culprit,
                   FunctionContext &Context);

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_FINDINGS_DESCRIBE_H
