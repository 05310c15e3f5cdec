#include "engine/Solver.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Analysis/Analyses/PostOrderCFGView.h"
#include "clang/Basic/SourceManager.h"

#include <set>

using namespace clang;

namespace metasan::analysis {
namespace {

/// Paths kept apart at one point. Enough for four correlated conditions; beyond that they are
/// merged and the result marked.
constexpr unsigned MaxPaths = 16;
/// Lambdas called from lambdas called from ...
constexpr unsigned MaxInlineDepth = 4;

class BodySearch : public RecursiveASTVisitor<BodySearch> {
public:
  explicit BodySearch(GraphCache::Entry &Found)
      : Statements(Found.Statements), Alternatives(Found.Alternatives) {}

  bool VisitCXXTryStmt(CXXTryStmt *) {
    HasTry = true;
    return true;
  }
  bool VisitCompoundStmt(CompoundStmt *S) {
    for (const Stmt *Child : S->body())
      add(Child);
    return true;
  }
  bool VisitIfStmt(IfStmt *S) {
    add(S->getThen());
    add(S->getElse());
    return true;
  }
  bool VisitCaseStmt(CaseStmt *S) { return add(S->getSubStmt()); }
  bool VisitDefaultStmt(DefaultStmt *S) { return add(S->getSubStmt()); }
  bool VisitLabelStmt(LabelStmt *S) { return add(S->getSubStmt()); }
  bool VisitAttributedStmt(AttributedStmt *S) { return add(S->getSubStmt()); }
  bool VisitDoStmt(DoStmt *S) { return add(S->getBody()); }
  bool VisitAbstractConditionalOperator(AbstractConditionalOperator *E) {
    for (const Expr *Side : {E->getTrueExpr(), E->getFalseExpr()}) {
      Alternatives[Side] = E;
      Alternatives[stripped(Side)] = E;
    }
    return true;
  }
  bool VisitForStmt(ForStmt *S) { return add(S->getBody()); }
  bool VisitWhileStmt(WhileStmt *S) { return add(S->getBody()); }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) { return add(S->getBody()); }

  bool HasTry = false;

private:
  bool add(const Stmt *S) {
    if (const auto *E = dyn_cast_or_null<Expr>(S)) {
      Statements.insert(E);
      Statements.insert(stripped(E));
    }
    return true;
  }
  llvm::SmallPtrSetImpl<const Stmt *> &Statements;
  llvm::DenseMap<const Stmt *, const Expr *> &Alternatives;
};

bool isCountedLoop(const Stmt *Terminator) {
  return isa_and_nonnull<ForStmt, CXXForRangeStmt>(Terminator);
}

/// The loop can go round: its body reaches the head again.
bool comesBack(const CFGBlock &Head) {
  for (const CFGBlock *Before : Head.preds())
    if (Before && Before->getLoopTarget() && !Before->pred_empty())
      for (const CFGBlock *Source : Before->preds())
        if (Source)
          return true;
  return false;
}

/// The condition that the end of a block decides by.
const Expr *decisiveCondition(const CFGBlock &Block) {
  const Stmt *Condition = Block.getTerminatorCondition();
  // For "a && b" the graph has a block for each side; the one for b still names the whole.
  while (const auto *Binary = dyn_cast_or_null<BinaryOperator>(
             Condition ? cast<Expr>(Condition)->IgnoreParens() : nullptr)) {
    if (!Binary->isLogicalOp())
      break;
    Condition = Binary->getRHS();
  }
  return dyn_cast_or_null<Expr>(Condition);
}

} // namespace

const GraphCache::Entry &GraphCache::graphOf(const FunctionDecl &Function) {
  auto [Known, Inserted] = Graphs.try_emplace(&Function);
  Entry &Result = Known->second;
  if (!Inserted)
    return Result;
  BodySearch Search(Result);
  Search.TraverseStmt(Function.getBody());
  CFG::BuildOptions Options;
  Options.PruneTriviallyFalseEdges = true;
  Options.AddInitializers = true;
  Options.AddCXXDefaultInitExprInCtors = true;
  Options.AddImplicitDtors = true;
  Options.AddTemporaryDtors = true;
  Options.AddStaticInitBranches = true;
  // One block per call: worth it only where something catches.
  Options.AddEHEdges = Search.HasTry;
  Options.setAllAlwaysAdd();
  Result.Graph = CFG::buildCFG(&Function, Function.getBody(), &AST, Options);
  return Result;
}

bool Solver::run(const FunctionDecl &Function, State Entry) {
  Prepared = &Graphs.graphOf(Function);
  Graph = Prepared->Graph.get();
  if (!Graph)
    return true;
  Step.ReturnSlot = Context.Nodes.returnValue(Function.getBody());
  PostOrderCFGView Order(Graph);
  std::map<unsigned, unsigned> Position;
  std::vector<const CFGBlock *> Blocks;
  for (const CFGBlock *Block : Order) {
    Position[Block->getBlockID()] = Blocks.size();
    Blocks.push_back(Block);
  }
  enter(Entries[Graph->getEntry().getBlockID()], std::move(Entry));
  std::set<unsigned> Pending{Position[Graph->getEntry().getBlockID()]};
  while (!Pending.empty()) {
    const CFGBlock &Block = *Blocks[*Pending.begin()];
    Pending.erase(Pending.begin());
    if (Left.BlockVisits == 0 || Context.Nodes.size() > Left.Nodes)
      return false;
    --Left.BlockVisits;
    auto [Out, Throwing] = through(Block);
    unsigned Edge = 0;
    for (auto Successor = Block.succ_begin(); Successor != Block.succ_end(); ++Successor, ++Edge) {
      const CFGBlock *To = *Successor;
      if (!To)
        continue;
      bool Exceptional = Edge > 0 && !Block.getTerminatorStmt();
      // The function does not return where it throws.
      bool Leaves = To == &Graph->getExit() &&
                    (Exceptional || Block.hasNoReturnElement() ||
                     (!Block.empty() && Block.back().getAs<CFGStmt>() &&
                      isa<CXXThrowExpr>(Block.back().castAs<CFGStmt>().getStmt())));
      if (Leaves)
        continue;
      bool Changed = false;
      Paths &Target =
          To == &Graph->getExit() ? Exits[Block.getBlockID()] : Entries[To->getBlockID()];
      for (const State &Path : Exceptional ? Throwing : Out)
        for (State &Next : alongEdge(Block, *To, Edge, Path))
          Changed |= enter(Target, std::move(Next));
      if (Changed)
        Pending.insert(Position[To->getBlockID()]);
    }
  }
  if (Sink) {
    Step.Sink = Sink;
    for (const CFGBlock *Block : Blocks)
      through(*Block);
    Step.Sink = nullptr;
  }
  return true;
}

std::pair<Solver::Paths, Solver::Paths> Solver::through(const CFGBlock &Block) {
  Paths Now = Entries[Block.getBlockID()], Before;
  bool MayThrow = Block.succ_size() > 1 && !Block.getTerminatorStmt();
  for (auto Element = Block.begin(); Element != Block.end(); ++Element) {
    if (MayThrow && std::next(Element) == Block.end())
      Before = Now;
    Paths Next;
    for (State &Path : Now)
      for (State &After : Step.apply(*Element, std::move(Path)))
        Next.push_back(std::move(After));
    Now = std::move(Next);
    auto Done = Element->getAs<CFGStmt>();
    if (Done)
      if (const Expr *Whole = Prepared->Alternatives.lookup(Done->getStmt()))
        for (State &Path : Now)
          Step.take(Whole, cast<Expr>(Done->getStmt()), Path);
    // An inlined lambda runs in the middle of another expression, whose temporaries live on.
    if (Done && Depth == 0 &&
        (isa<DeclStmt>(Done->getStmt()) || Prepared->Statements.contains(Done->getStmt())))
      for (State &Path : Now) {
        Path.collectGarbage();
        Path.Facts.eraseIf([&](const FactSet::Fact &Fact) {
          return isCallFact(Fact.first) && Fact.first != returnFact(Step.ReturnSlot);
        });
      }
  }
  return {std::move(Now), std::move(Before)};
}

bool Solver::enter(Paths &Known, State S) {
  for (State &Path : Known)
    if (Path.Facts == S.Facts || Path.Blurred)
      return Path.join(S);
  Known.push_back(std::move(S));
  if (Known.size() > MaxPaths) {
    State Merged = std::move(Known.front());
    for (State &Path : llvm::drop_begin(Known))
      Merged.join(Path);
    Merged.Blurred = true;
    Known.clear();
    Known.push_back(std::move(Merged));
  }
  return true;
}

unsigned Solver::loopFact(const CFGBlock &Head) const {
  // Above the numbers of the conditions; apart for each nesting of inlined lambdas.
  return (1u << 31) | (Depth << 24) | Head.getBlockID();
}

Solver::Paths Solver::alongEdge(const CFGBlock &From, const CFGBlock &To, unsigned Edge,
                                const State &S) {
  State Next = S;
  if (From.getLoopTarget())
    Facts.forgetCalls(Next);
  else if (isCountedLoop(To.getTerminatorStmt()))
    Next.Facts.erase(loopFact(To));
  const Stmt *Terminator = From.getTerminatorStmt();
  if (const auto *Try = dyn_cast_or_null<CXXTryStmt>(To.getTerminatorStmt()))
    leaveTry(*Try, Next);
  if (!Terminator || !From.getTerminator().isStmtBranch())
    return {std::move(Next)};
  if (const auto *Switch = dyn_cast<SwitchStmt>(Terminator))
    return alongSwitchEdge(*Switch, To, std::move(Next));
  if (From.succ_size() != 2 || isa<CXXTryStmt, DeclStmt>(Terminator))
    return {std::move(Next)};
  Paths Result;
  const Expr *Condition = decisiveCondition(From);
  for (State &Path :
       Condition ? Step.branches().assume(std::move(Next), Condition, Edge == 0) : Paths{Next})
    for (State &Looped : alongLoopEdge(From, Edge, std::move(Path)))
      Result.push_back(std::move(Looped));
  return Result;
}

Solver::Paths Solver::alongLoopEdge(const CFGBlock &Head, unsigned Edge, State S) {
  // A loop over shards, layers or parameters is taken to run at least once: that it might not is no
  // reason to report what it does as missing.
  if (!isCountedLoop(Head.getTerminatorStmt()) || !comesBack(Head))
    return {std::move(S)};
  unsigned Entered = loopFact(Head);
  if (Edge == 0) {
    S.Facts.set(Entered, true);
    return {std::move(S)};
  }
  if (!S.Facts.erase(Entered))
    return {};
  return {std::move(S)};
}

Solver::Paths Solver::alongSwitchEdge(const SwitchStmt &Switch, const CFGBlock &To, State S) {
  auto Assume = [&](const SwitchCase *Case, bool Value) {
    const auto *Label = dyn_cast_or_null<CaseStmt>(Case);
    if (!Label)
      return true;
    std::optional<Condition> Known = Facts.findCase(Switch.getCond(), Label->getLHS());
    return !Known || Facts.assume(S, *Known, Value);
  };
  const auto *Case = dyn_cast_or_null<CaseStmt>(To.getLabel());
  if (Case) {
    if (!Assume(Case, true))
      return {};
  } else {
    for (const SwitchCase *Other = Switch.getSwitchCaseList(); Other;
         Other = Other->getNextSwitchCase())
      if (!Assume(Other, false))
        return {};
  }
  return {std::move(S)};
}

void Solver::leaveTry(const CXXTryStmt &Try, State &S) const {
  // The graph has no destructors on the way from a throw to its handler.
  const SourceManager &Sources = Context.AST.getSourceManager();
  SourceRange Block = Try.getTryBlock()->getSourceRange();
  for (const Node *Scope : S.openScopes()) {
    const Node *Root = Scope->root();
    if (Root->Kind != NodeKind::Variable)
      continue;
    SourceLocation Where = static_cast<const VarDecl *>(Root->Key)->getLocation();
    if (Sources.isBeforeInTranslationUnit(Block.getBegin(), Where) &&
        Sources.isBeforeInTranslationUnit(Where, Block.getEnd()))
      S.leaveScope(Scope);
  }
}

std::vector<State> Solver::exitPaths() const {
  std::vector<State> Result;
  for (const auto &[Before, Paths] : Exits)
    Result.insert(Result.end(), Paths.begin(), Paths.end());
  return Result;
}

std::optional<std::vector<State>> Solver::inlineCall(const CXXMethodDecl &Operator,
                                                     const State &S) {
  const FunctionDecl *Definition = nullptr;
  if (Depth >= MaxInlineDepth || !Operator.hasBody(Definition) || Definition->isDependentContext())
    return std::nullopt;
  Solver Nested(Context, Facts, Graphs, Left, Step.Sink, Depth + 1);
  if (!Nested.run(*Definition, S))
    return std::nullopt;
  std::vector<State> Result;
  for (State &After : Nested.exitPaths()) {
    After.Facts.erase(returnFact(Nested.Step.ReturnSlot));
    Nested.enter(Result, std::move(After));
  }
  return Result;
}

} // namespace metasan::analysis
