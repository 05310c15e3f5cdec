//===- Analysis.h - The analysis of one function -----------------------------===//
//
//   metasan::analysis::Analysis Analysis(ASTContext);
//   for (const Diagnosis &D : Analysis.analyze(Function).Findings) ...
//
//===----------------------------------------------------------------------===//
#ifndef METASAN_ANALYZER_FINDINGS_ANALYSIS_H
#define METASAN_ANALYZER_FINDINGS_ANALYSIS_H

#include "engine/Solver.h"
#include "findings/Diagnosis.h"

namespace metasan::analysis {

enum class Completion : std::uint8_t {
  Skipped, ///< nothing in the function can be empty
  Done,
  OverBudget,
  Crashed,
};

struct FunctionResult {
  Completion Status = Completion::Skipped;
  std::vector<Diagnosis> Findings; ///< in the order of the source
};

class Analysis {
public:
  explicit Analysis(clang::ASTContext &AST);

  /// Never fails: what goes wrong is in the status.
  FunctionResult analyze(const clang::FunctionDecl &Function, Budget Limit = {});

private:
  bool canHoldEmptyTensors(const clang::FunctionDecl &Function);
  void analyzeUnguarded(const clang::FunctionDecl &Function, Budget Limit, FunctionResult &Result);

  clang::ASTContext &AST;
  TypeOracle Types;
  ApiModel Api;
};

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_FINDINGS_ANALYSIS_H
