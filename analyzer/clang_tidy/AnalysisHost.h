//===- AnalysisHost.h - One analysis for all checks --------------------------===//
#ifndef METASAN_ANALYZER_CLANG_TIDY_ANALYSIS_HOST_H
#define METASAN_ANALYZER_CLANG_TIDY_ANALYSIS_HOST_H

#include "frontend/Delivery.h"

namespace metasan::tidy {

/// Shared by the checks of one clang-tidy run, so that each function is analyzed once however many
/// checks are on. clang-tidy makes the checks anew for each translation unit, with the options that
/// hold there: first each is constructed, then each is told that the translation unit starts.
class AnalysisHost {
public:
  /// A check that is on. All checks share one analysis: the smallest of their budgets holds.
  void enable(metasan::Rule Check, frontend::RuleOptions Options, analysis::Budget Given);

  /// Adds a model file to what the analysis believes; checks that name the same one read it once.
  /// What is wrong with it, empty when nothing is.
  std::string useModelFile(llvm::StringRef Path, llvm::StringRef Source);

  void startTranslationUnit();

  /// The findings of the translation unit, analyzed at the first call.
  frontend::Delivery &delivery(clang::ASTContext &AST);

  /// Not empty at the first call only: one check speaks for all of them.
  std::vector<frontend::Report> takeRemarks();

private:
  bool Started = false;
  frontend::EnabledRules Enabled;
  std::optional<analysis::Budget> Limit;
  std::set<std::string, std::less<>> ModelFiles;
  analysis::ContractTable Contracts;
  std::unique_ptr<frontend::Delivery> Current;
  bool RemarksTaken = false;
};

} // namespace metasan::tidy

#endif // METASAN_ANALYZER_CLANG_TIDY_ANALYSIS_HOST_H
