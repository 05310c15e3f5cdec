#include "frontend/Delivery.h"

#include "findings/Fixes.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Format/Format.h"
#include "clang/Tooling/Inclusions/HeaderIncludes.h"

using namespace clang;

namespace metasan::frontend {
namespace {

/// The edits that make File include the headers; none for those it includes, or when it includes
/// everything.
std::vector<FixItHint> includes(const std::set<llvm::StringRef> &Headers, FileID File,
                                const SourceManager &Sources) {
  OptionalFileEntryRef Entry = Sources.getFileEntryRefForID(File);
  if (!Entry)
    return {};
  tooling::HeaderIncludes Includes(Entry->getName(), Sources.getBufferData(File),
                                   format::getLLVMStyle().IncludeStyle);
  auto Insert = [&](llvm::StringRef Header, bool IsAngled) {
    return Includes.insert(Header, IsAngled, tooling::IncludeDirective::Include);
  };
  auto IsIncluded = [&](llvm::StringRef Header) {
    return !Insert(Header, /*IsAngled=*/true) || !Insert(Header, /*IsAngled=*/false);
  };
  if (IsIncluded("metasan/metasan.h"))
    return {};
  // In one edit where they go to one place, so that they stay sorted.
  std::map<unsigned, std::string> Directives;
  for (llvm::StringRef Header : Headers)
    if (!IsIncluded(Header))
      if (std::optional<tooling::Replacement> Edit = Insert(Header, /*IsAngled=*/true))
        Directives[Edit->getOffset()] += Edit->getReplacementText();
  std::vector<FixItHint> Edits;
  SourceLocation Start = Sources.getLocForStartOfFile(File);
  for (const auto &[Offset, Text] : Directives)
    Edits.push_back(
        FixItHint::CreateInsertion(Start.getLocWithOffset(static_cast<int>(Offset)), Text));
  return Edits;
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
  Report Remark{Functions.front()->getLocation(), {}, std::move(Message), {}, {}, {}};
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

Delivery::Delivery(ASTContext &AST, EnabledRules On, analysis::Settings Settings,
                   FunctionSet ToAnalyze)
    : AST(AST), Enabled(std::move(On)), Functions(std::move(ToAnalyze)), Analysis(AST, Settings) {
  Analysis.run(Functions.getArrayRef());
  for (const auto &[Violates, Options] : Enabled)
    collect(Violates, Options);
  addIncludes();
}

void Delivery::collect(Rule Violates, const RuleOptions &Options) {
  // A place in a lambda, a template or a header is reached from several functions.
  std::set<SourceLocation> Reported;
  for (const FunctionDecl *Function : Functions) {
    llvm::ArrayRef<analysis::Diagnosis> Findings = Analysis.resultFor(*Function).Findings;
    for (const analysis::Diagnosis &D : Findings)
      if (D.Violates == Violates &&
          (D.Certainty == analysis::Confidence::Definite ||
           Options.Least == analysis::Confidence::Maybe) &&
          Reported.insert(D.Where).second)
        Reports[Violates].push_back(reportOf(D, Findings));
  }
}

Report Delivery::reportOf(const analysis::Diagnosis &D,
                          llvm::ArrayRef<analysis::Diagnosis> InFunction) const {
  Report Result{D.Where, D.Range, D.Message, D.Notes, {}, {}};
  analysis::FixPlan Plan =
      analysis::planFix(D, InFunction, AST, [&](Rule Of) -> std::optional<std::string> {
        auto Found = Enabled.find(Of);
        return Found == Enabled.end() ? std::nullopt : std::optional(Found->second.CheckpointPath);
      });
  if (!Plan.Advice.empty())
    Result.Notes.push_back({D.Where, Plan.Advice});
  Result.Edits = std::move(Plan.Edits);
  Result.Header = Plan.Header;
  return Result;
}

void Delivery::addIncludes() {
  const SourceManager &Sources = AST.getSourceManager();
  struct Needs {
    std::set<llvm::StringRef> Headers;
    Report *First = nullptr;
  };
  std::map<FileID, Needs> Files;
  for (auto &[Violates, OfRule] : Reports)
    for (Report &Each : OfRule)
      if (!Each.Header.empty()) {
        Needs &Here = Files[Sources.getFileID(Sources.getExpansionLoc(Each.Where))];
        Here.Headers.insert(Each.Header);
        if (!Here.First || Sources.isBeforeInTranslationUnit(Each.Where, Here.First->Where))
          Here.First = &Each;
      }
  for (auto &[File, Here] : Files)
    llvm::append_range(Here.First->Edits, includes(Here.Headers, File, Sources));
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
