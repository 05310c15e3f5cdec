#include "findings/Fixes.h"

#include "engine/Evaluator.h"
#include "findings/CheckpointSearch.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace metasan::analysis {
namespace {

constexpr llvm::StringLiteral LoadAndDispatch = "metasan::load_checkpoint_and_dispatch";

class Planner {
public:
  Planner(const Diagnosis &D, const ASTContext &AST, llvm::StringRef CheckpointPath)
      : D(D), AST(AST), Sources(AST.getSourceManager()), Option(CheckpointPath) {}

  FixPlan plan() {
    switch (D.Violates) {
    case Rule::DispatchWithoutWeights:
      return planDispatch();
    case Rule::MetaCopyOut:
      return isa<CXXMemberCallExpr>(D.Call) && Types.isModule(D.Subject->getType()) ? planMove()
                                                                                    : FixPlan{};
    default:
      return {};
    }
  }

private:
  std::string text(SourceRange Range) const {
    CharSourceRange InFile =
        Lexer::makeFileCharRange(CharSourceRange::getTokenRange(Range), Sources, AST.getLangOpts());
    return Lexer::getSourceText(InFile, Sources, AST.getLangOpts()).str();
  }
  bool editable(SourceRange Range) const {
    return Range.isValid() && !Range.getBegin().isMacroID() && !Range.getEnd().isMacroID();
  }

  /// No edit when a template's instances could disagree, or when the finding does not hold on every
  /// path.
  std::optional<CallSite> editableSite() {
    if (D.Certainty != Confidence::Definite || !editable(D.Call->getSourceRange()) ||
        D.Function->isTemplateInstantiation() || D.Function->getTemplateInstantiationPattern())
      return std::nullopt;
    CallSite Site = inspectCallSite(*D.Call, *D.Function, AST);
    if (!Site.IsStatement)
      return std::nullopt;
    if (!Site.Checkpoint && !Option.empty()) {
      std::string Quoted;
      llvm::raw_string_ostream Stream(Quoted);
      Stream << '"';
      Stream.write_escaped(Option);
      Stream << '"';
      Site.Checkpoint = Quoted;
    }
    return Site;
  }

  std::string loadCall(llvm::StringRef Module, llvm::StringRef Checkpoint,
                       llvm::StringRef Device) const {
    return (LoadAndDispatch + "(" + Module + ", " + Checkpoint + ", " + Device + ")").str();
  }
  FixPlan advise(llvm::StringRef Module, llvm::StringRef Device) const {
    FixPlan Plan;
    if (Module.empty() || Device.empty())
      return Plan;
    Plan.Advice = "load the weights and place them in one step: '" +
                  loadCall(Module, "<checkpoint>", Device) + "'";
    return Plan;
  }

  FixPlan planDispatch() {
    if (D.Call->getNumArgs() < 2)
      return {};
    std::string Module = text(D.Call->getArg(0)->getSourceRange());
    std::string Map = text(D.Call->getArg(1)->getSourceRange());
    std::optional<CallSite> Site = editableSite();
    const auto *Callee = dyn_cast<DeclRefExpr>(D.Call->getCallee()->IgnoreParenImpCasts());
    SourceLocation AfterModule =
        Lexer::getLocForEndOfToken(D.Call->getArg(0)->getEndLoc(), 0, Sources, AST.getLangOpts());
    if (!Site || !Site->Checkpoint || D.Follows || !Callee || AfterModule.isInvalid())
      return D.Follows ? FixPlan{} : advise(Module, Map);
    FixPlan Plan;
    Plan.NeedsLoadHeader = true;
    Plan.Edits.push_back(FixItHint::CreateReplacement(Callee->getSourceRange(), LoadAndDispatch));
    Plan.Edits.push_back(FixItHint::CreateInsertion(AfterModule, ", " + *Site->Checkpoint));
    return Plan;
  }

  /// The module as an argument: a ModuleRef takes a holder, a shared_ptr or a reference.
  std::string moduleArgument(const Expr *Object) const {
    Object = Object->IgnoreParenImpCasts();
    bool Dereference = false;
    if (const auto *Arrow = dyn_cast<CXXOperatorCallExpr>(Object);
        Arrow && Arrow->getOperator() == OO_Arrow) {
      Object = Arrow->getArg(0)->IgnoreParenImpCasts();
      const CXXRecordDecl *Record = Object->getType()->getAsCXXRecordDecl();
      Dereference = Record && Record->getIdentifier() && Record->getName() == "unique_ptr";
    } else {
      Dereference = Object->getType()->isPointerType();
    }
    return (Dereference ? "*" : "") + text(Object->getSourceRange());
  }

  FixPlan planMove() {
    const auto *Member = cast<CXXMemberCallExpr>(D.Call);
    std::string Module = moduleArgument(Member->getImplicitObjectArgument());
    const Expr *Device = D.Call->getNumArgs() ? D.Call->getArg(0) : nullptr;
    if (!Device || Module.empty())
      return {};
    std::string Target = text(Device->getSourceRange());
    std::optional<CallSite> Site = editableSite();
    if (!Site || !Site->Checkpoint)
      return D.Follows ? FixPlan{} : advise(Module, Target);
    if (D.Follows)
      return removal();
    // to(device, dtype) also casts; an explicit non_blocking has no counterpart.
    for (unsigned Index = 1; Index < D.Call->getNumArgs(); ++Index)
      if (!isa<CXXDefaultArgExpr>(D.Call->getArg(Index)))
        return advise(Module, Target);
    // A device map is made from a device, not from what a device is made from.
    QualType Spelled = Device->IgnoreUnlessSpelledInSource()->getType();
    if (Types.classify(Spelled) != TypeClass::Device)
      Target = "torch::Device(" + Target + ")";
    FixPlan Plan;
    Plan.NeedsLoadHeader = true;
    Plan.Edits.push_back(FixItHint::CreateReplacement(D.Call->getSourceRange(),
                                                      loadCall(Module, *Site->Checkpoint, Target)));
    return Plan;
  }

  /// Removes the statement, and its line when nothing else but a comment on it is there.
  FixPlan removal() const {
    SourceLocation Begin = D.Call->getBeginLoc();
    std::optional<Token> Semicolon =
        Lexer::findNextToken(D.Call->getEndLoc(), Sources, AST.getLangOpts());
    if (!Semicolon || Semicolon->isNot(tok::semi))
      return {};
    FileID File = Sources.getFileID(Begin);
    llvm::StringRef Buffer = Sources.getBufferData(File);
    std::size_t From = Sources.getFileOffset(Begin);
    std::size_t To = Sources.getFileOffset(Semicolon->getEndLoc());
    std::size_t LineStart = Buffer.rfind('\n', From);
    LineStart = LineStart == llvm::StringRef::npos ? 0 : LineStart + 1;
    std::size_t LineEnd = std::min(Buffer.find('\n', To), Buffer.size());
    llvm::StringRef Before = Buffer.slice(LineStart, From).trim(),
                    After = Buffer.slice(To, LineEnd).trim();
    if (Before.empty() && (After.empty() || After.starts_with("//"))) {
      From = LineStart;
      To = std::min(LineEnd + 1, Buffer.size());
    }
    SourceLocation Start = Sources.getLocForStartOfFile(File);
    FixPlan Plan;
    Plan.Edits.push_back(FixItHint::CreateRemoval(
        CharSourceRange::getCharRange(Start.getLocWithOffset(static_cast<int>(From)),
                                      Start.getLocWithOffset(static_cast<int>(To)))));
    return Plan;
  }

  const Diagnosis &D;
  const ASTContext &AST;
  const SourceManager &Sources;
  llvm::StringRef Option;
  TypeOracle Types;
};

} // namespace

FixPlan planFix(const Diagnosis &D, const ASTContext &AST, llvm::StringRef CheckpointPath) {
  if (!D.Call || !D.Subject || !D.Function)
    return {};
  return Planner(D, AST, CheckpointPath).plan();
}

} // namespace metasan::analysis
