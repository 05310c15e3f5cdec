#include "findings/Fixes.h"

#include "engine/Evaluator.h"
#include "findings/Advice.h"
#include "findings/CheckpointSearch.h"
#include "findings/ScopeNames.h"
#include "findings/Spelling.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace metasan::analysis {
namespace {

constexpr llvm::StringLiteral LoadAndDispatch = "metasan::load_checkpoint_and_dispatch";
constexpr llvm::StringLiteral LoadHeader = "metasan/load.h";
constexpr llvm::StringLiteral ToEmptyHeader = "metasan/to_empty.h";

std::string quoted(llvm::StringRef Path) {
  std::string Result;
  llvm::raw_string_ostream Stream(Result);
  Stream << '"';
  Stream.write_escaped(Path);
  Stream << '"';
  return Result;
}

class Planner {
public:
  Planner(const Diagnosis &D, llvm::ArrayRef<Diagnosis> InFunction, const ASTContext &AST,
          const CheckpointOption &Option)
      : D(D), InFunction(InFunction), AST(AST), Sources(AST.getSourceManager()), Option(Option),
        Api(Types), Around{AST, Types} {}

  FixPlan plan() {
    Around.Site = locate(*D.Site, *D.Function);
    if (Around.Site) {
      Around.Checkpoint = checkpoint();
      if (D.Subject && isStatement())
        Around.Later = findLaterLoad(*Around.Site, *D.Subject, *D.Function);
    }
    // Once the earlier mistake is repaired, this one is too.
    if (const Diagnosis *Earlier = leader())
      return planFollower(*Earlier);
    FixPlan Plan = canEdit() ? edit() : FixPlan{};
    if (Plan.Edits.empty())
      Plan.Advice = advise(D, Around);
    return Plan;
  }

private:
  FixPlan edit() {
    switch (D.Violates) {
    case Rule::DispatchWithoutWeights:
      return editDispatch();
    case Rule::MetaCopyOut:
      return isOwnMove() ? editMove() : FixPlan{};
    case Rule::MoveAfterDispatch:
      return isOwnMove() ? editMoveAfterDispatch() : FixPlan{};
    case Rule::ScopeMisuse:
      return nameScope();
    default:
      return {};
    }
  }

  //===- What can be edited --------------------------------------------------------===//

  bool isInFile(SourceRange Range) const {
    return Range.isValid() && !Range.getBegin().isMacroID() && !Range.getEnd().isMacroID();
  }
  /// Not when the finding does not hold on every path, when a template's instances could disagree,
  /// or when what is wrong is somewhere else.
  bool canEdit() const {
    return Around.Site && D.Certainty == Confidence::Definite && !D.InCallee &&
           isInFile(D.Site->getSourceRange()) && !D.Function->isTemplateInstantiation() &&
           !D.Function->getTemplateInstantiationPattern();
  }
  bool isStatement() const { return Around.Site->Block != nullptr; }
  /// A load may stand here, and it may be one of this module: a part of another is not what a
  /// checkpoint holds.
  bool canLoad() {
    const auto *Member = dyn_cast<MemberExpr>(spelled(D.Subject));
    const auto *Field = Member ? dyn_cast<FieldDecl>(Member->getMemberDecl()) : nullptr;
    bool InModule =
        Field && Types.classify(cast<CXXRecordDecl>(Field->getParent())) == TypeClass::Module;
    // torch::load reads another format, and a load with options may read less than everything.
    bool IsAnotherLoad =
        Around.Later && (Around.Later->What == LaterLoad::Kind::Native || !Around.Later->FillsAll);
    return isStatement() && !D.UnderScope && !D.IsPart && !InModule && !IsAnotherLoad;
  }
  bool isLaterLoad(LaterLoad::Kind What) const {
    return Around.Later && Around.Later->What == What;
  }

  /// The call of Module::to itself, not of a method of the user's that overrides it.
  bool isOwnMove() const {
    const auto *Call = dyn_cast_or_null<CXXMemberCallExpr>(D.Call);
    const CXXMethodDecl *Method = Call ? Call->getMethodDecl() : nullptr;
    return Method && D.Subject && Call->getNumArgs() &&
           qualifiedName(*Method) == "torch::nn::Module::to";
  }

  std::optional<std::string> checkpoint() {
    if (auto Nearby = findCheckpoint(*Around.Site, *D.Site, *D.Function, D.Subject, Types))
      return Nearby;
    std::optional<std::string> Given = Option(D.Violates);
    return Given && !Given->empty() ? std::optional(quoted(*Given)) : std::nullopt;
  }

  //===- Loads in place of dispatches and moves -------------------------------------===//

  FixPlan editDispatch() {
    if (isLaterLoad(LaterLoad::Kind::AndDispatch))
      return isSameDevice(deviceOf(*D.Call), deviceOf(*Around.Later->Call)) ? leaveOut()
                                                                            : FixPlan{};
    const auto *Callee = dyn_cast<DeclRefExpr>(D.Call->getCallee()->IgnoreParenImpCasts());
    if (!canLoad() || !Around.Checkpoint || !Callee || D.Call->getNumArgs() < 2)
      return {};
    SourceLocation AfterModule =
        Lexer::getLocForEndOfToken(D.Call->getArg(0)->getEndLoc(), 0, Sources, AST.getLangOpts());
    if (AfterModule.isInvalid() || !isInFile(Callee->getSourceRange()))
      return {};
    FixPlan Plan;
    Plan.Header = LoadHeader;
    Plan.Edits.push_back(FixItHint::CreateReplacement(Callee->getSourceRange(), LoadAndDispatch));
    Plan.Edits.push_back(FixItHint::CreateInsertion(AfterModule, ", " + *Around.Checkpoint));
    // The load that came too late has nothing left to do.
    if (isLaterLoad(LaterLoad::Kind::InModel) && Around.Later->IsStatement &&
        textOf(Around.Later->Path->getSourceRange(), AST) == *Around.Checkpoint)
      if (std::optional<FixItHint> Removal = removal(*Around.Later->Call))
        Plan.Edits.push_back(*Removal);
    return Plan;
  }

  FixPlan editMove() {
    // to(device, dtype) also casts; an explicit non_blocking has no counterpart.
    if (!canLoad() || isGiven(*D.Call, 1))
      return {};
    std::string Module =
        moduleArgument(cast<CXXMemberCallExpr>(D.Call)->getImplicitObjectArgument(), AST);
    std::string Device = device(*D.Call->getArg(0));
    if (Module.empty() || Device.empty())
      return {};
    if (isLaterLoad(LaterLoad::Kind::InModel))
      return replacement("metasan::to_empty(" + Module + ", " + Device + ")", ToEmptyHeader);
    if (isLaterLoad(LaterLoad::Kind::AndDispatch))
      return isSameDevice(D.Call->getArg(0), deviceOf(*Around.Later->Call)) ? leaveOut()
                                                                            : FixPlan{};
    if (!Around.Checkpoint)
      return {};
    return replacement(
        (LoadAndDispatch + "(" + Module + ", " + *Around.Checkpoint + ", " + Device + ")").str(),
        LoadHeader);
  }

  FixPlan replacement(const std::string &Text, llvm::StringRef Header) const {
    FixPlan Plan;
    Plan.Header = Header;
    Plan.Edits.push_back(FixItHint::CreateReplacement(D.Call->getSourceRange(), Text));
    return Plan;
  }

  /// A device map is made from a device, not from what a device is made from.
  std::string device(const Expr &E) {
    std::string Text = textOf(E.getSourceRange(), AST);
    if (Text.empty() ||
        Types.classify(E.IgnoreUnlessSpelledInSource()->getType()) != TypeClass::Device)
      return Text.empty() ? "" : "torch::Device(" + Text + ")";
    return Text.front() == '{' ? "torch::Device" + Text : Text;
  }

  //===- Moves that are superfluous --------------------------------------------------===//

  /// The finding, earlier on every path, whose fix also repairs this one.
  const Diagnosis *leader() const {
    if (!D.Follows)
      return nullptr;
    for (const Diagnosis &Earlier : InFunction)
      if (&Earlier == &D)
        return nullptr;
      else if (Earlier.About == D.About && !Earlier.Follows)
        return &Earlier;
    return nullptr;
  }
  FixPlan planFollower(const Diagnosis &Earlier) {
    bool IsMove = D.Violates == Rule::MetaCopyOut && canEdit() && isOwnMove();
    if (!IsMove || Earlier.Violates != Rule::DispatchWithoutWeights || !Option(Earlier.Violates) ||
        planFix(Earlier, InFunction, AST, Option).Edits.empty())
      return {};
    return isSameDevice(D.Call->getArg(0), deviceOf(*Earlier.Call)) ? leaveOut() : FixPlan{};
  }

  FixPlan editMoveAfterDispatch() {
    const Expr *Device = D.Call->getArg(0);
    if (!isInPlace(*Device))
      return {};
    return !isGiven(*D.Call, 1) || D.Call->getArg(1)->getType()->isBooleanType() ? leaveOut()
                                                                                 : onlyCast();
  }
  /// The module is where the call would move it, or where a map of several devices wants it.
  bool isInPlace(const Expr &Device) {
    if (!D.Placement)
      return true;
    const FunctionDecl *Callee = D.Placement->getDirectCallee();
    std::string Name = Callee ? qualifiedName(*Callee) : "";
    if (Name != "metasan::dispatch_model" && Name != LoadAndDispatch)
      return true;
    const Expr *Map = deviceOf(*D.Placement);
    return isMap(*Map) || isSameDevice(&Device, Map);
  }
  static const Expr *deviceOf(const CallExpr &Dispatch) {
    const FunctionDecl *Callee = Dispatch.getDirectCallee();
    unsigned Index = Callee && qualifiedName(*Callee) == LoadAndDispatch ? 2 : 1;
    return Dispatch.getNumArgs() > Index ? Dispatch.getArg(Index) : nullptr;
  }
  bool isMap(const Expr &E) { return Types.classify(spelled(&E)->getType()) != TypeClass::Device; }
  bool isSameDevice(const Expr *Left, const Expr *Right) const {
    if (!Left || !Right)
      return false;
    Left = spelled(Left);
    Right = spelled(Right);
    const auto *LeftRef = dyn_cast<DeclRefExpr>(Left), *RightRef = dyn_cast<DeclRefExpr>(Right);
    if (LeftRef && RightRef)
      return LeftRef->getDecl()->getCanonicalDecl() == RightRef->getDecl()->getCanonicalDecl();
    std::string Text = textOf(Left->getSourceRange(), AST);
    return !Text.empty() && Text == textOf(Right->getSourceRange(), AST);
  }

  /// The call gone, if all it says is a device.
  FixPlan leaveOut() const {
    FixPlan Plan;
    const auto *Method = dyn_cast<CXXMemberCallExpr>(D.Call);
    bool IsFree = (!Method || isFreeOfEffects(Method->getImplicitObjectArgument())) &&
                  llvm::all_of(D.Call->arguments(), isFreeOfEffects);
    if (isStatement() && IsFree)
      if (std::optional<FixItHint> Removal = removal(*D.Call))
        Plan.Edits.push_back(*Removal);
    return Plan;
  }
  /// "to(device, dtype)" without the device.
  FixPlan onlyCast() const {
    FixPlan Plan;
    const Expr *Device = D.Call->getArg(0), *Dtype = D.Call->getArg(1);
    if (isFreeOfEffects(Device) && isInFile(Device->getSourceRange()) &&
        isInFile(Dtype->getSourceRange()))
      Plan.Edits.push_back(FixItHint::CreateRemoval(
          CharSourceRange::getCharRange(Device->getBeginLoc(), Dtype->getBeginLoc())));
    return Plan;
  }

  /// Removes the statement, and its line when nothing else but a comment on it is there.
  std::optional<FixItHint> removal(const CallExpr &Statement) const {
    SourceLocation Begin = Statement.getBeginLoc();
    std::optional<Token> Semicolon =
        Lexer::findNextToken(Statement.getEndLoc(), Sources, AST.getLangOpts());
    if (!isInFile(Statement.getSourceRange()) || !Semicolon || Semicolon->isNot(tok::semi))
      return std::nullopt;
    FileID File = Sources.getFileID(Begin);
    llvm::StringRef Buffer = Sources.getBufferData(File);
    std::size_t From = Sources.getFileOffset(Begin);
    std::size_t To = Sources.getFileOffset(Semicolon->getEndLoc());
    std::size_t LineStart = Buffer.rfind('\n', From);
    LineStart = LineStart == llvm::StringRef::npos ? 0 : LineStart + 1;
    std::size_t LineEnd = std::min(Buffer.find('\n', To), Buffer.size());
    llvm::StringRef Before = Buffer.slice(LineStart, From).trim(),
                    After = Buffer.slice(To, LineEnd).trim();
    // With the line break before, not the one after: where a space follows a removal, clang takes
    // that too.
    if (Before.empty() && LineStart != 0 && (After.empty() || After.starts_with("//"))) {
      From = LineStart - 1;
      To = LineEnd;
    }
    SourceLocation Start = Sources.getLocForStartOfFile(File);
    return FixItHint::CreateRemoval(
        CharSourceRange::getCharRange(Start.getLocWithOffset(static_cast<int>(From)),
                                      Start.getLocWithOffset(static_cast<int>(To))));
  }

  //===- Scopes without a name -------------------------------------------------------===//

  FixPlan nameScope() {
    FixPlan Plan;
    if (!isUnnamedScope(D, Types) || !isStatement() || Around.Site->After.empty() ||
        !onlyBuilds(Around.Site->After, Api, Types))
      return Plan;
    SourceRange Arguments = argumentBrackets();
    if (Arguments.isInvalid() || !isInFile(Arguments))
      return Plan;
    std::string Name = " " + freeName("scope", unnamedBefore(), *D.Function);
    // "InitEmptyWeights scope();" would declare a function.
    if (!hasArguments()) {
      Plan.Edits.push_back(
          FixItHint::CreateReplacement(CharSourceRange::getTokenRange(Arguments), Name));
      return Plan;
    }
    Plan.Edits.push_back(FixItHint::CreateReplacement(Arguments.getBegin(), Name + "{"));
    Plan.Edits.push_back(FixItHint::CreateReplacement(Arguments.getEnd(), "}"));
    return Plan;
  }
  unsigned unnamedBefore() {
    unsigned Count = 0;
    for (const Diagnosis &Other : InFunction) {
      if (&Other == &D)
        break;
      Count += isUnnamedScope(Other, Types);
    }
    return Count;
  }
  bool hasArguments() const {
    const auto *Construct = dyn_cast<CXXConstructExpr>(stripped(D.Site));
    return Construct && !isDefaultConstruction(*Construct);
  }
  static bool isDefaultConstruction(const CXXConstructExpr &E) {
    return llvm::all_of(E.arguments(), [](const Expr *Arg) { return isa<CXXDefaultArgExpr>(Arg); });
  }
  SourceRange argumentBrackets() const {
    if (const auto *Cast = dyn_cast<CXXFunctionalCastExpr>(D.Site);
        Cast && Cast->getLParenLoc().isValid())
      return {Cast->getLParenLoc(), Cast->getRParenLoc()};
    if (const auto *Construct = dyn_cast<CXXConstructExpr>(stripped(D.Site)))
      return Construct->getParenOrBraceRange();
    return {};
  }

  const Diagnosis &D;
  llvm::ArrayRef<Diagnosis> InFunction;
  const ASTContext &AST;
  const SourceManager &Sources;
  const CheckpointOption &Option;
  TypeOracle Types;
  ApiModel Api;
  Surroundings Around;
};

} // namespace

FixPlan planFix(const Diagnosis &D, llvm::ArrayRef<Diagnosis> InFunction, const ASTContext &AST,
                const CheckpointOption &Option) {
  if (!D.Site || !D.Function)
    return {};
  return Planner(D, InFunction, AST, Option).plan();
}

} // namespace metasan::analysis
