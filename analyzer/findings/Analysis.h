//===- Analysis.h - The analysis of the functions of a translation unit ------===//
//
//   metasan::analysis::Analysis Analysis(ASTContext);
//   Analysis.run(Functions);
//   for (const Diagnosis &D : Analysis.resultFor(*Function).Findings) ...
//
//===----------------------------------------------------------------------===//
#ifndef METASAN_ANALYZER_FINDINGS_ANALYSIS_H
#define METASAN_ANALYZER_FINDINGS_ANALYSIS_H

#include "engine/CallGraph.h"
#include "engine/Solver.h"
#include "findings/Diagnosis.h"

namespace metasan::analysis {

struct Settings {
  Budget Limit = {};
  /// What the user says about functions, besides annotations; null when there is nothing.
  const ContractTable *UserModel = nullptr;
  /// Also analyze functions in which nothing can be empty; to test and to measure.
  bool Everything = false;
};

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
  explicit Analysis(clang::ASTContext &AST, Settings Given = {});

  /// Analyzes functions that have a body, callees first. Never fails: what goes wrong with one is
  /// in its status.
  void run(llvm::ArrayRef<const clang::FunctionDecl *> Functions);

  const FunctionResult &resultFor(const clang::FunctionDecl &Function) const;

private:
  bool hasSource(const clang::FunctionDecl &Function);
  void analyzeGroup(const CallGraph::Group &Group);
  std::unique_ptr<Summary> analyze(const clang::FunctionDecl &Function, FunctionResult &Result);
  std::unique_ptr<Summary> analyzeUnguarded(const clang::FunctionDecl &Function,
                                            FunctionResult &Result);

  clang::ASTContext &AST;
  Settings Given;
  ContractTable Annotations;
  TypeOracle Types;
  ApiModel Api;
  SummaryStore Summaries;
  llvm::DenseMap<const clang::FunctionDecl *, FunctionResult> Results;
};

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_FINDINGS_ANALYSIS_H
