#include "findings/Analysis.h"

#include "engine/Escapes.h"
#include "findings/Collector.h"
#include "findings/UnnamedScopes.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/Support/CrashRecoveryContext.h"

using namespace clang;

namespace metasan::analysis {
namespace {

/// Rounds over functions that call each other. One finds what they do, one confirms it; what is not
/// settled after a few never will be.
constexpr unsigned MaxRounds = 4;

/// Something in the body can make a tensor empty, or ask whether it is.
class SourceSearch : public RecursiveASTVisitor<SourceSearch> {
public:
  SourceSearch(TypeOracle &Types, ApiModel &Api, const ContractTable &Contracts)
      : Types(Types), Api(Api), Contracts(Contracts) {}

  bool shouldVisitImplicitCode() const { return true; }

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    const ValueDecl *D = E->getDecl();
    if (!D->getIdentifier())
      return true;
    // A device constant of any name may be the meta one.
    Found |= D->getName() == "kMeta" || D->getName() == "Meta" ||
             (isa<VarDecl>(D) && !cast<VarDecl>(D)->isLocalVarDeclOrParm() &&
              Types.classify(D->getType()) == TypeClass::Device);
    return !Found;
  }
  bool VisitStringLiteral(clang::StringLiteral *E) {
    Found |= E->isOrdinary() && E->getString().starts_with("meta");
    return !Found;
  }
  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *Callee = E->getDirectCallee();
    switch (Api.resolve(Callee).What) {
    case Effect::AsksMeta:
    case Effect::AsksState:
    case Effect::BuildEmpty:
    case Effect::MakesUninitialized:
    case Effect::Dispatch:
    case Effect::LoadAndDispatch:
    case Effect::Allocate:
      Found = true;
      break;
    default:
      Found |= Callee && Contracts.contractOf(*Callee);
    }
    return !Found;
  }
  bool VisitVarDecl(VarDecl *Var) {
    Found |= Types.classify(Var->getType()) == TypeClass::Scope;
    return !Found;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    Found |= Types.classify(E->getType()) == TypeClass::Scope;
    return !Found;
  }
  bool VisitCXXDefaultInitExpr(CXXDefaultInitExpr *E) { return TraverseStmt(E->getExpr()); }

  bool Found = false;

private:
  TypeOracle &Types;
  ApiModel &Api;
  const ContractTable &Contracts;
};

/// The analyzer's counterpart of "#pragma clang __debug crash": to test that a crash stays in its
/// function.
bool isMarkedToCrash(const FunctionDecl &Function) {
  return llvm::any_of(Function.specific_attrs<AnnotateAttr>(), [](const AnnotateAttr *Attribute) {
    return Attribute->getAnnotation() == "metasan:debug_crash";
  });
}

/// Ways out that are kept apart in a summary.
constexpr std::size_t MaxExits = 6;

void mergeExits(std::vector<Summary::Exit> &Exits) {
  if (Exits.size() <= MaxExits)
    return;
  // Apart only by what is returned.
  std::vector<Summary::Exit> Merged;
  for (Summary::Exit &Way : Exits) {
    auto Same = llvm::find_if(
        Merged, [&](const Summary::Exit &Other) { return Other.Returns == Way.Returns; });
    Way.When.clear();
    if (Same == Merged.end())
      Merged.push_back(std::move(Way));
    else
      Same->After.join(Way.After);
  }
  Exits = std::move(Merged);
}

std::unique_ptr<Summary> opaqueSummary() { return std::make_unique<Summary>(); }

} // namespace

Analysis::Analysis(ASTContext &AST, Settings Given) : AST(AST), Given(Given), Api(Types) {
  llvm::CrashRecoveryContext::Enable();
  if (!this->Given.UserModel)
    this->Given.UserModel = &Annotations;
}

bool Analysis::hasSource(const FunctionDecl &Function) {
  SourceSearch Search(Types, Api, *Given.UserModel);
  Search.TraverseStmt(Function.getBody());
  if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(&Function)) {
    for (const CXXCtorInitializer *Init : Constructor->inits())
      Search.TraverseStmt(Init->getInit());
    for (const FieldDecl *Field : Constructor->getParent()->fields())
      Search.Found |= Types.classify(Field->getType()) == TypeClass::Scope;
  }
  return Search.Found;
}

void Analysis::run(llvm::ArrayRef<const FunctionDecl *> Functions) {
  CallGraph Calls(Functions, Types, Api, Summaries);
  const std::vector<CallGraph::Group> &Groups = Calls.groups();
  // Worth a look: functions that can hold something empty themselves, what calls them, and what
  // those call in turn.
  llvm::DenseSet<const CallGraph::Member *> Interesting;
  for (const CallGraph::Group &Group : Groups)
    if (llvm::any_of(Group, [&](const CallGraph::Member *Each) {
          return Given.Everything || hasSource(*Each->Function) ||
                 llvm::any_of(Each->Callees,
                              [&](auto *Callee) { return Interesting.contains(Callee); });
        }))
      Interesting.insert(Group.begin(), Group.end());
  for (const CallGraph::Group &Group : llvm::reverse(Groups))
    for (const CallGraph::Member *Each : Group)
      if (Interesting.contains(Each))
        Interesting.insert(Each->Callees.begin(), Each->Callees.end());
  for (const CallGraph::Group &Group : Groups)
    if (llvm::any_of(Group, [&](auto *Each) { return Interesting.contains(Each); }))
      analyzeGroup(Group);
}

void Analysis::analyzeGroup(const CallGraph::Group &Group) {
  bool Recursive = Group.size() > 1 || Group.front()->CallsItself;
  if (Recursive)
    for (const CallGraph::Member *Each : Group) {
      auto Start = std::make_unique<Summary>();
      Start->Status = Summary::Kind::Bottom;
      Summaries.set(*Each->Function, std::move(Start));
    }
  for (unsigned Round = 0; Round < MaxRounds; ++Round) {
    bool Changed = false;
    for (const CallGraph::Member *Each : Group) {
      FunctionResult &Result = Results[Each->Function->getCanonicalDecl()];
      Result = {};
      std::unique_ptr<Summary> New = analyze(*Each->Function, Result);
      New->Recursive = Recursive;
      if (Recursive) {
        const Summary *Old = Summaries.find(*Each->Function);
        Changed |= New->fingerprint() != Old->fingerprint();
      }
      Summaries.set(*Each->Function, std::move(New));
    }
    if (!Changed)
      return;
  }
  for (const CallGraph::Member *Each : Group)
    Summaries.set(*Each->Function, opaqueSummary());
}

const FunctionResult &Analysis::resultFor(const FunctionDecl &Function) const {
  static const FunctionResult None;
  auto Found = Results.find(Function.getCanonicalDecl());
  return Found == Results.end() ? None : Found->second;
}

std::unique_ptr<Summary> Analysis::analyze(const FunctionDecl &Function, FunctionResult &Result) {
  std::unique_ptr<Summary> Found;
  llvm::CrashRecoveryContext Recovery;
  if (!Recovery.RunSafely([&] { Found = analyzeUnguarded(Function, Result); })) {
    Result.Status = Completion::Crashed;
    Result.Findings.clear();
  }
  return Found ? std::move(Found) : opaqueSummary();
}

std::unique_ptr<Summary> Analysis::analyzeUnguarded(const FunctionDecl &Function,
                                                    FunctionResult &Result) {
  if (isMarkedToCrash(Function))
    LLVM_BUILTIN_TRAP;
  auto Nodes = std::make_shared<Arena>(Types);
  FunctionContext Context{
      &Function,       AST, Types, Api, *Nodes, escapedVariables(Function.getBody()), Summaries,
      *Given.UserModel};
  FactTable Facts(AST);
  Facts.collect(Function);
  GraphCache Graphs(AST);
  Collector Uses(Context, Facts);
  Budget Left = Given.Limit;
  Solver Fixpoint(Context, Facts, Graphs, Left, &Uses);
  State Entry(*Nodes);
  // What a constructor builds is new.
  if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(&Function);
      Constructor && Types.classify(Constructor->getParent()) == TypeClass::Module)
    Entry.setState(Nodes->initial(Nodes->self()), Ambient);
  if (!Fixpoint.run(Function, std::move(Entry))) {
    Result.Status = Completion::OverBudget;
    return nullptr;
  }
  Result.Status = Completion::Done;
  Result.Findings = Uses.findings(Function);
  findUnnamedScopes(Function, Types, Result.Findings);

  auto Effects = std::make_unique<Summary>();
  Effects->Status = Summary::Kind::Known;
  const Node *ReturnSlot = Nodes->returnValue(Function.getBody());
  for (State &After : Fixpoint.exitPaths()) {
    Summary::Exit Way{std::move(After), {}, std::nullopt};
    for (auto Known : Facts.parameterValues(Way.After))
      Way.When.push_back(Known);
    Way.Returns = Way.After.Facts.find(returnFact(ReturnSlot));
    Way.After.collectGarbage();
    Effects->Exits.push_back(std::move(Way));
  }
  mergeExits(Effects->Exits);
  Effects->CallsUnknown = Context.CallsUnknown;
  Effects->Requires = Uses.requirements();
  Effects->Nodes = std::move(Nodes);
  return Effects;
}

} // namespace metasan::analysis
