//===- RuleCheck.h - A rule as a clang-tidy check ----------------------------===//
#ifndef METASAN_ANALYZER_CLANG_TIDY_RULE_CHECK_H
#define METASAN_ANALYZER_CLANG_TIDY_RULE_CHECK_H

#include "clang_tidy/AnalysisHost.h"

#include "clang-tidy/ClangTidyCheck.h"

namespace metasan::tidy {

/// Reports the findings of one rule; docs/rules/<rule>.md describes it.
///
/// Options:
/// - Confidence: definite, only what is wrong on every path; maybe (default), also what is wrong on
///   some.
/// - BlockBudget: how many visits of a block one function may cost before it is skipped with a
///   remark; default 20000.
/// - CheckpointPath: the checkpoint that fix-its name where the code names none; empty (default):
///   no such fix-its.
/// - ModelFile: what functions that the analysis does not see do, as docs/guides/annotations.md
///   describes; empty (default): nothing.
class RuleCheck : public clang::tidy::ClangTidyCheck {
public:
  RuleCheck(llvm::StringRef Name, clang::tidy::ClangTidyContext *Context, metasan::Rule Reports,
            std::shared_ptr<AnalysisHost> Host);

  bool isLanguageVersionSupported(const clang::LangOptions &LangOpts) const override {
    return LangOpts.CPlusPlus;
  }
  void registerMatchers(clang::ast_matchers::MatchFinder *Finder) override;
  void check(const clang::ast_matchers::MatchFinder::MatchResult &Result) override;
  void onStartOfTranslationUnit() override { Host->startTranslationUnit(); }
  void storeOptions(clang::tidy::ClangTidyOptions::OptionMap &Options) override;

private:
  void show(const frontend::Report &R, clang::DiagnosticIDs::Level Level);

  metasan::Rule Reports;
  std::shared_ptr<AnalysisHost> Host;
  frontend::RuleOptions Chosen;
  unsigned BlockBudget;
  std::string ModelFile;
};

} // namespace metasan::tidy

#endif // METASAN_ANALYZER_CLANG_TIDY_RULE_CHECK_H
