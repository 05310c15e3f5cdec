#include "findings/Analysis.h"

#include "engine/Escapes.h"
#include "findings/Describe.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/CrashRecoveryContext.h"

#include <set>

using namespace clang;

namespace metasan::analysis {
namespace {

/// Joins what all paths bring to each use.
class Collector : public UseSink {
public:
  struct Total {
    Use At;
    std::uint8_t Bits = 0;
    bool OnlyBlurred = true; ///< every path with an empty object is a mixture of others
    bool Follows = true;
    NodeSet Empty = {};
  };

  void reached(const Use &At, const State &S) override {
    auto [Entry, New] = Totals.try_emplace({At.Violates, At.Site, At.Subject}, Total{.At = At});
    Total &T = Entry->second;
    if (New)
      Order.push_back(&T);
    ObjectState Joined = S.joinOf(At.Objects);
    T.Bits |= Joined.Bits;
    for (const Node *Object : At.Objects) {
      ObjectState One = S.stateOf(Object);
      if (!(One.Bits & EmptyBits))
        continue;
      T.Empty.insert(Object);
      T.OnlyBlurred &= S.Blurred;
      T.Follows &= One.Used;
    }
  }

  std::vector<const Total *> Order;

private:
  std::map<std::tuple<Rule, const Expr *, const Expr *>, Total> Totals;
};

/// Something in the body can make a tensor empty, or ask whether it is.
class EmptinessSearch : public RecursiveASTVisitor<EmptinessSearch> {
public:
  EmptinessSearch(TypeOracle &Types, ApiModel &Api) : Types(Types), Api(Api) {}

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
    Effect What = Api.resolve(E->getDirectCallee()).What;
    Found |= What == Effect::AsksMeta || What == Effect::AsksState || What == Effect::BuildEmpty;
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

  bool Found = false;

private:
  TypeOracle &Types;
  ApiModel &Api;
};

/// The object whose emptiness is one mistake: a part of a module stands for the module.
const Node *rootOf(const Node *Object) {
  while (Object->Kind == NodeKind::Part && Object->Base)
    Object = Object->Base;
  return Object;
}

/// Tests that expect the error are right to provoke it.
bool isExpectedToThrow(SourceLocation Where, const ASTContext &AST) {
  const SourceManager &Sources = AST.getSourceManager();
  while (Where.isMacroID()) {
    llvm::StringRef Name = Lexer::getImmediateMacroName(Where, Sources, AST.getLangOpts());
    if (Name.contains("THROW") || Name.contains("DEATH"))
      return true;
    // An argument of the macro is spelled outside it: go by where it is expanded, not by where it
    // is written.
    Where = Sources.getImmediateExpansionRange(Where).getBegin();
  }
  return false;
}

} // namespace

Analysis::Analysis(ASTContext &AST) : AST(AST), Api(Types) { llvm::CrashRecoveryContext::Enable(); }

bool Analysis::canHoldEmptyTensors(const FunctionDecl &Function) {
  EmptinessSearch Search(Types, Api);
  Search.TraverseStmt(Function.getBody());
  if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(&Function))
    for (const CXXCtorInitializer *Init : Constructor->inits())
      Search.TraverseStmt(Init->getInit());
  return Search.Found;
}

FunctionResult Analysis::analyze(const FunctionDecl &Function, Budget Limit) {
  FunctionResult Result;
  if (!Function.getBody() || !canHoldEmptyTensors(Function))
    return Result;
  llvm::CrashRecoveryContext Recovery;
  if (!Recovery.RunSafely([&] { analyzeUnguarded(Function, Limit, Result); })) {
    Result.Status = Completion::Crashed;
    Result.Findings.clear();
  }
  return Result;
}

void Analysis::analyzeUnguarded(const FunctionDecl &Function, Budget Limit,
                                FunctionResult &Result) {
  Arena Nodes;
  FunctionContext Context{AST, Types, Api, Nodes, escapedVariables(Function.getBody())};
  FactTable Facts(AST);
  Facts.collect(Function.getBody());
  GraphCache Graphs(AST);
  Collector Uses;
  Solver Fixpoint(Context, Facts, Graphs, Limit, &Uses);
  if (!Fixpoint.run(Function, State(Nodes))) {
    Result.Status = Completion::OverBudget;
    return;
  }
  Result.Status = Completion::Done;

  std::set<std::pair<Rule, const Node *>> Reported;
  for (const Collector::Total *T : Uses.Order) {
    bool Definite = T->Bits && !(T->Bits & ~EmptyBits);
    if (!Definite && (!(T->Bits & Declared) || T->OnlyBlurred))
      continue;
    if (isExpectedToThrow(T->At.Site->getExprLoc(), AST))
      continue;
    const Node *Culprit = *T->Empty.begin();
    if (!Reported.insert({T->At.Violates, rootOf(Culprit)}).second)
      continue;
    Diagnosis D =
        describe(T->At, Definite ? Confidence::Definite : Confidence::Maybe, Culprit, Context);
    D.Function = &Function;
    D.Follows = T->Follows;
    Result.Findings.push_back(std::move(D));
  }
}

} // namespace metasan::analysis
