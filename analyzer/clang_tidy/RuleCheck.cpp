#include "clang_tidy/RuleCheck.h"

#include "clang/ASTMatchers/ASTMatchFinder.h"

using namespace clang;
using namespace clang::ast_matchers;

namespace clang::tidy {

template <> struct OptionEnumMapping<metasan::analysis::Confidence> {
  static llvm::ArrayRef<std::pair<metasan::analysis::Confidence, StringRef>> getEnumMapping() {
    static constexpr std::pair<metasan::analysis::Confidence, StringRef> Mapping[] = {
        {metasan::analysis::Confidence::Definite, "definite"},
        {metasan::analysis::Confidence::Maybe, "maybe"},
    };
    return Mapping;
  }
};

} // namespace clang::tidy

namespace metasan::tidy {

RuleCheck::RuleCheck(StringRef Name, clang::tidy::ClangTidyContext *Context, metasan::Rule Reports,
                     std::shared_ptr<AnalysisHost> SharedHost)
    : ClangTidyCheck(Name, Context), Reports(Reports), Host(std::move(SharedHost)),
      Chosen{.Least = Options.getLocalOrGlobal("Confidence", analysis::Confidence::Maybe),
             .CheckpointPath = Options.getLocalOrGlobal("CheckpointPath", "").str()},
      BlockBudget(Options.getLocalOrGlobal("BlockBudget", analysis::Budget().BlockVisits)),
      ModelFile(Options.getLocalOrGlobal("ModelFile", "")) {
  Host->enable(Reports, Chosen, {BlockBudget});
  // Without a source clang-tidy only asks for the options.
  if (ModelFile.empty() || Context->getCurrentFile().empty())
    return;
  if (std::string Error = Host->useModelFile(ModelFile, Context->getCurrentFile()); !Error.empty())
    configurationDiag("%0", DiagnosticIDs::Error) << Error;
}

void RuleCheck::storeOptions(clang::tidy::ClangTidyOptions::OptionMap &Opts) {
  Options.store(Opts, "Confidence", Chosen.Least);
  Options.store(Opts, "BlockBudget", BlockBudget);
  Options.store(Opts, "CheckpointPath", Chosen.CheckpointPath);
  Options.store(Opts, "ModelFile", ModelFile);
}

void RuleCheck::registerMatchers(MatchFinder *Finder) {
  // The host finds the functions: a matcher of each check would be tried on every function of
  // LibTorch.
  Finder->addMatcher(translationUnitDecl(), this);
}

void RuleCheck::check(const MatchFinder::MatchResult &Result) {
  if (Result.Context->getDiagnostics().hasUncompilableErrorOccurred())
    return;
  for (const frontend::Report &Found : Host->delivery(*Result.Context).reports(Reports))
    show(Found, DiagnosticIDs::Warning);
  for (const frontend::Report &Remark : Host->takeRemarks())
    show(Remark, DiagnosticIDs::Remark);
}

void RuleCheck::show(const frontend::Report &R, DiagnosticIDs::Level Level) {
  {
    DiagnosticBuilder Builder = diag(R.Where, "%0", Level) << R.Message;
    if (R.Range.isValid())
      Builder << R.Range;
    for (const FixItHint &Edit : R.Edits)
      Builder << Edit;
  }
  for (const analysis::Note &N : R.Notes)
    diag(N.Where, "%0", DiagnosticIDs::Note) << N.Message;
}

} // namespace metasan::tidy
