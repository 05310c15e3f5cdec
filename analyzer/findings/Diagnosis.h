//===- Diagnosis.h - A finding, as plain data --------------------------------===//
//
// What a front end needs to show a finding and to offer its fix; it holds no state of the engine.
//
//===----------------------------------------------------------------------===//
#ifndef METASAN_ANALYZER_FINDINGS_DIAGNOSIS_H
#define METASAN_ANALYZER_FINDINGS_DIAGNOSIS_H

#include "metasan/rules.h"

#include "clang/AST/Expr.h"

#include <string>
#include <vector>

namespace metasan::analysis {

enum class Confidence : std::uint8_t {
  Definite, ///< on every path that gets there
  Maybe,    ///< on some of the paths
};

struct Note {
  clang::SourceLocation Where;
  std::string Message;
};

struct Diagnosis {
  Rule Violates;
  Confidence Certainty;
  clang::SourceLocation Where;
  clang::SourceRange Range;
  std::string Message;
  std::vector<Note> Notes;

  /// The call at fault and the module or tensor in it, from which a fix is made.
  const clang::CallExpr *Call = nullptr;
  const clang::Expr *Site = nullptr; ///< the same, or what else is wrong
  const clang::Expr *Subject = nullptr;
  const clang::FunctionDecl *Function = nullptr;
  /// An InitEmptyWeights scope may be open there.
  bool UnderScope = false;
  /// The mistake is in what the call does, further down.
  bool InCallee = false;
  /// An earlier finding on every path is about the same module: once that one is fixed, this call
  /// is superfluous.
  bool Follows = false;
};

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_FINDINGS_DIAGNOSIS_H
