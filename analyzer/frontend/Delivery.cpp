#include "frontend/Delivery.h"

#include "findings/Fixes.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Format/Format.h"
#include "clang/Tooling/Inclusions/HeaderIncludes.h"

using namespace clang;

namespace metasan::frontend {
namespace {

/// The edit that makes File include metasan/load.h; none when it does, or includes everything.
std::optional<FixItHint> includeLoadHeader(FileID File, const SourceManager &Sources) {
  OptionalFileEntryRef Entry = Sources.getFileEntryRefForID(File);
  if (!Entry)
    return std::nullopt;
  tooling::HeaderIncludes Includes(Entry->getName(), Sources.getBufferData(File),
                                   format::getLLVMStyle().IncludeStyle);
  auto Insert = [&](llvm::StringRef Header, bool IsAngled) {
    return Includes.insert(Header, IsAngled, tooling::IncludeDirective::Include);
  };
  for (llvm::StringRef Enough : {"metasan/metasan.h", "metasan/load.h"})
    if (!Insert(Enough, /*IsAngled=*/true) || !Insert(Enough, /*IsAngled=*/false))
      return std::nullopt;
  std::optional<tooling::Replacement> Edit = Insert("metasan/load.h", /*IsAngled=*/true);
  SourceLocation Where =
      Sources.getLocForStartOfFile(File).getLocWithOffset(static_cast<int>(Edit->getOffset()));
  return FixItHint::CreateInsertion(Where, Edit->getReplacementText());
}

std::string quoted(const FunctionDecl &Function) {
  std::string Name;
  llvm::raw_string_ostream Stream(Name);
  Stream << '\'';
  Function.getNameForDiagnostic(Stream, Function.getASTContext().getPrintingPolicy(),
                                /*Qualified=*/true);
  Stream << '\'';
  return Name;
}

/// At the first function, with a note at each when there are several.
Report remarkOn(llvm::ArrayRef<const FunctionDecl *> Functions, std::string Message) {
  Report Remark{Functions.front()->getLocation(), {}, std::move(Message), {}, {}};
  if (Functions.size() > 1)
    for (const FunctionDecl *Function : Functions)
      Remark.Notes.push_back({Function->getLocation(), "function " + quoted(*Function)});
  return Remark;
}

std::string subject(llvm::ArrayRef<const FunctionDecl *> Functions) {
  return Functions.size() == 1 ? "function " + quoted(*Functions.front())
                               : std::to_string(Functions.size()) + " functions";
}

} // namespace

Delivery::Delivery(ASTContext &AST, EnabledRules Enabled, analysis::Settings Settings,
                   FunctionSet ToAnalyze)
    : AST(AST), Enabled(std::move(Enabled)), Functions(std::move(ToAnalyze)),
      Analysis(AST, Settings) {
  Analysis.run(Functions.getArrayRef());
}

std::vector<Report> Delivery::reports(Rule Violates) {
  std::vector<Report> Shown;
  const RuleOptions &Options = Enabled.at(Violates);
  // A place in a lambda, a template or a header is reached from several functions.
  std::set<SourceLocation> Reported;
  for (const FunctionDecl *Function : Functions)
    for (const analysis::Diagnosis &D : Analysis.resultFor(*Function).Findings)
      if (D.Violates == Violates &&
          (D.Certainty == analysis::Confidence::Definite ||
           Options.Least == analysis::Confidence::Maybe) &&
          Reported.insert(D.Where).second)
        Shown.push_back(reportOf(D, Options));
  return Shown;
}

Report Delivery::reportOf(const analysis::Diagnosis &D, const RuleOptions &Options) {
  Report Result{D.Where, D.Range, D.Message, D.Notes, {}};
  analysis::FixPlan Plan = analysis::planFix(D, AST, Options.CheckpointPath);
  if (!Plan.Advice.empty())
    Result.Notes.push_back({D.Where, Plan.Advice});
  // "Superfluous after the fix of the dispatch" holds only while that fix is offered too.
  if (D.Follows && !Enabled.count(Rule::DispatchWithoutWeights))
    return Result;
  Result.Edits = std::move(Plan.Edits);
  const SourceManager &Sources = AST.getSourceManager();
  FileID File = Sources.getFileID(Sources.getExpansionLoc(D.Where));
  if (Plan.NeedsLoadHeader && !Result.Edits.empty() && Included.insert(File).second)
    if (std::optional<FixItHint> Include = includeLoadHeader(File, Sources))
      Result.Edits.push_back(*Include);
  return Result;
}

std::vector<Report> Delivery::remarks() const {
  std::vector<const FunctionDecl *> TooLarge, Failed;
  for (const FunctionDecl *Function : Functions) {
    analysis::Completion Status = Analysis.resultFor(*Function).Status;
    if (Status == analysis::Completion::OverBudget)
      TooLarge.push_back(Function);
    if (Status == analysis::Completion::Crashed)
      Failed.push_back(Function);
  }
  std::vector<Report> Remarks;
  if (!TooLarge.empty())
    Remarks.push_back(remarkOn(
        TooLarge, subject(TooLarge) + (TooLarge.size() == 1
                                           ? " is too large to be analyzed and was skipped"
                                           : " are too large to be analyzed and were skipped")));
  if (!Failed.empty())
    Remarks.push_back(
        remarkOn(Failed, "the analysis of " + subject(Failed) + " failed; please report this"));
  return Remarks;
}

} // namespace metasan::frontend
