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

/// How the object that a finding is about came to have no values.
enum class EmptyBy : std::uint8_t {
  Unknown,
  Scope,      ///< built while an InitEmptyWeights scope was open
  MetaDevice, ///< created on the meta device
  MovedToMeta,
  Allocation, ///< created by torch::empty and the like
};

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
  /// The same for all findings of a function about one module or tensor.
  const void *About = nullptr;
  /// Where that module or tensor was created; null when that is not in this function.
  const clang::Stmt *Origin = nullptr;
  EmptyBy Cause = EmptyBy::Unknown;
  /// The finding is about a part of a module, such as a weight.
  bool IsPart = false;
  /// Of a move after a dispatch: the call that put the module on its devices, when it is in this
  /// function.
  const clang::CallExpr *Placement = nullptr;
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
