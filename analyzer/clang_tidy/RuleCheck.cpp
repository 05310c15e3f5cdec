#include "clang_tidy/RuleCheck.h"

#include "findings/Fixes.h"

#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

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
namespace {

class UmbrellaInclude : public PPCallbacks {
public:
  UmbrellaInclude(const SourceManager &Sources, std::shared_ptr<std::set<FileID>> Complete)
      : Sources(Sources), Complete(std::move(Complete)) {}

  void InclusionDirective(SourceLocation HashLoc, const Token &, StringRef FileName, bool,
                          CharSourceRange, OptionalFileEntryRef, StringRef, StringRef,
                          const clang::Module *, bool, SrcMgr::CharacteristicKind) override {
    if (FileName == "metasan/metasan.h" || FileName == "metasan/load.h")
      Complete->insert(Sources.getFileID(HashLoc));
  }

private:
  const SourceManager &Sources;
  std::shared_ptr<std::set<FileID>> Complete;
};

} // namespace

RuleCheck::RuleCheck(StringRef Name, clang::tidy::ClangTidyContext *Context, metasan::Rule Reports,
                     std::shared_ptr<AnalysisHost> SharedHost)
    : ClangTidyCheck(Name, Context), Reports(Reports), Host(std::move(SharedHost)),
      Least(Options.getLocalOrGlobal("Confidence", analysis::Confidence::Maybe)),
      BlockBudget(Options.getLocalOrGlobal("BlockBudget", analysis::Budget().BlockVisits)),
      CheckpointPath(Options.getLocalOrGlobal("CheckpointPath", "")),
      Inserter(clang::tidy::utils::IncludeSorter::IS_LLVM, areDiagsSelfContained()) {
  Host->enable(Reports);
  Host->limit({BlockBudget});
}

void RuleCheck::storeOptions(clang::tidy::ClangTidyOptions::OptionMap &Opts) {
  Options.store(Opts, "Confidence", Least);
  Options.store(Opts, "BlockBudget", BlockBudget);
  Options.store(Opts, "CheckpointPath", CheckpointPath);
}

void RuleCheck::registerPPCallbacks(const SourceManager &Sources, Preprocessor *PP,
                                    Preprocessor *) {
  Complete->clear();
  PP->addPPCallbacks(std::make_unique<UmbrellaInclude>(Sources, Complete));
  Inserter.registerPreprocessor(PP);
}

void RuleCheck::registerMatchers(MatchFinder *Finder) {
  // The host finds the functions: a matcher of each check would be tried on every function of
  // LibTorch.
  Finder->addMatcher(translationUnitDecl(), this);
}

void RuleCheck::check(const MatchFinder::MatchResult &Result) {
  if (Result.Context->getDiagnostics().hasUncompilableErrorOccurred())
    return;
  for (const FunctionDecl *Function : Host->functions(*Result.Context))
    checkFunction(*Function, *Result.Context);
}

void RuleCheck::checkFunction(const FunctionDecl &Function, ASTContext &AST) {
  const analysis::FunctionResult &Findings = Host->resultFor(Function, AST);
  switch (Findings.Status) {
  case analysis::Completion::OverBudget:
    if (Host->claimRemark(Function))
      diag(Function.getLocation(), "function %0 is too large to be analyzed and was skipped",
           DiagnosticIDs::Remark)
          << &Function;
    return;
  case analysis::Completion::Crashed:
    if (Host->claimRemark(Function))
      diag(Function.getLocation(), "the analysis of function %0 failed; please report this",
           DiagnosticIDs::Remark)
          << &Function;
    return;
  default:
    break;
  }
  for (const analysis::Diagnosis &D : Findings.Findings)
    if (D.Violates == Reports &&
        (D.Certainty == analysis::Confidence::Definite || Least == analysis::Confidence::Maybe))
      if (Host->claimFinding(Reports, D.Where))
        report(D, AST);
}

void RuleCheck::report(const analysis::Diagnosis &D, ASTContext &AST) {
  analysis::FixPlan Plan = analysis::planFix(D, AST, CheckpointPath);
  {
    DiagnosticBuilder Builder = diag(D.Where, "%0") << D.Message << D.Range;
    // "Superfluous after the fix of the dispatch" holds only while that fix is offered too.
    bool Alone = D.Follows && !Host->isEnabled(metasan::Rule::DispatchWithoutWeights);
    if (!Alone)
      for (const FixItHint &Edit : Plan.Edits)
        Builder << Edit;
    FileID File = AST.getSourceManager().getFileID(AST.getSourceManager().getExpansionLoc(D.Where));
    if (Plan.NeedsLoadHeader && !Plan.Edits.empty() && !Complete->count(File) &&
        Host->claimInclude(File))
      Builder << Inserter.createIncludeInsertion(File, "<metasan/load.h>");
  }
  for (const analysis::Note &N : D.Notes)
    diag(N.Where, "%0", DiagnosticIDs::Note) << N.Message;
  if (!Plan.Advice.empty())
    diag(D.Where, "%0", DiagnosticIDs::Note) << Plan.Advice;
}

} // namespace metasan::tidy
