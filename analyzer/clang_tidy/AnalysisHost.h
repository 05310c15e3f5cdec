//===- AnalysisHost.h - One analysis for all checks --------------------------===//
#ifndef METASAN_ANALYZER_CLANG_TIDY_ANALYSIS_HOST_H
#define METASAN_ANALYZER_CLANG_TIDY_ANALYSIS_HOST_H

#include "findings/Analysis.h"

#include <set>

namespace metasan::tidy {

/// Shared by the checks of one clang-tidy run, so that each function is analyzed once however many
/// checks are on.
class AnalysisHost {
public:
  /// Forgets the last translation unit.
  void startTranslationUnit();

  /// The functions with a body that are not in system headers; a template's instances, not the
  /// template.
  const std::vector<const clang::FunctionDecl *> &functions(clang::ASTContext &AST);
  const analysis::FunctionResult &resultFor(const clang::FunctionDecl &Function,
                                            clang::ASTContext &AST);

  /// False from the second time on: one check speaks for all of them about a function that was
  /// given up.
  bool claimRemark(const clang::FunctionDecl &Function) {
    return Remarked.insert(&Function).second;
  }
  /// False from the second time on: a place in a lambda or a header is reached from several
  /// functions.
  bool claimFinding(metasan::Rule Violates, clang::SourceLocation Where) {
    return Claimed.insert({Violates, Where.getRawEncoding()}).second;
  }
  bool claimInclude(clang::FileID File) { return Included.insert(File).second; }

  /// All checks share one analysis: the smallest budget given to any of them holds.
  void limit(analysis::Budget Given) {
    Limit.BlockVisits = std::min(Limit.BlockVisits, Given.BlockVisits);
  }

  /// The checks that are on: the fix of one finding may rest on that of another.
  void enable(metasan::Rule Check) { Enabled.insert(Check); }
  bool isEnabled(metasan::Rule Check) const { return Enabled.count(Check) != 0; }

private:
  std::unique_ptr<analysis::Analysis> Current;
  std::optional<std::vector<const clang::FunctionDecl *>> Functions;
  std::set<const clang::FunctionDecl *> Remarked;
  std::set<std::pair<metasan::Rule, unsigned>> Claimed;
  std::set<clang::FileID> Included;
  std::set<metasan::Rule> Enabled;
  analysis::Budget Limit;
};

} // namespace metasan::tidy

#endif // METASAN_ANALYZER_CLANG_TIDY_ANALYSIS_HOST_H
