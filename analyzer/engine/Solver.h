//===- Solver.h - The fixpoint over one function -----------------------------===//
#ifndef METASAN_ANALYZER_ENGINE_SOLVER_H
#define METASAN_ANALYZER_ENGINE_SOLVER_H

#include "engine/Transfer.h"

namespace metasan::analysis {

/// How much work a function may cost. Far beyond what a hand-written function needs: a line between
/// finite and effectively infinite.
struct Budget {
  unsigned BlockVisits = 20'000;
  /// Places and objects.
  unsigned Nodes = 100'000;
};

/// The control-flow graphs of a function and of the lambdas inlined into it.
class GraphCache {
public:
  explicit GraphCache(clang::ASTContext &AST) : AST(AST) {}
  struct Entry {
    std::unique_ptr<clang::CFG> Graph; ///< null when the body cannot be turned into one
    /// The expressions that are statements: their temporaries die with them.
    llvm::SmallPtrSet<const clang::Stmt *, 16> Statements;
    /// The sides of a conditional, with the whole.
    llvm::DenseMap<const clang::Stmt *, const clang::Expr *> Alternatives;
  };
  const Entry &graphOf(const clang::FunctionDecl &Function);

private:
  clang::ASTContext &AST;
  std::map<const clang::FunctionDecl *, Entry> Graphs;
};

class Solver : Inliner {
public:
  Solver(FunctionContext &Context, const FactTable &Facts, GraphCache &Graphs, Budget &Left,
         UseSink *Sink, unsigned Depth = 0)
      : Context(Context), Facts(Facts), Graphs(Graphs), Left(Left), Sink(Sink), Depth(Depth),
        Step(Context, Facts, *this) {}

  /// Finds the fixpoint and then tells the sink, if there is one, about every use. False when the
  /// budget is spent.
  bool run(const clang::FunctionDecl &Function, State Entry);
  /// What holds where the function returns, apart for the ways out and for the paths that lead
  /// there; nothing when it never does.
  std::vector<State> exitPaths() const;

private:
  using Paths = std::vector<State>;

  std::optional<std::vector<State>> inlineCall(const clang::CXXMethodDecl &Operator,
                                               const State &S) override;
  /// The paths at the end of a block, and before its last element for the edges an exception takes.
  std::pair<Paths, Paths> through(const clang::CFGBlock &Block);
  Paths alongEdge(const clang::CFGBlock &From, const clang::CFGBlock &To, unsigned Edge,
                  const State &S);
  Paths alongLoopEdge(const clang::CFGBlock &Head, unsigned Edge, State S);
  Paths alongSwitchEdge(const clang::SwitchStmt &Switch, const clang::CFGBlock &To, State S);
  bool enter(Paths &Known, State S);
  void leaveTry(const clang::CXXTryStmt &Try, State &S) const;
  unsigned loopFact(const clang::CFGBlock &Head) const;

  FunctionContext &Context;
  const FactTable &Facts;
  GraphCache &Graphs;
  Budget &Left;
  UseSink *Sink;
  unsigned Depth;
  Transfer Step;
  const clang::CFG *Graph = nullptr;
  const GraphCache::Entry *Prepared = nullptr;
  std::map<unsigned, Paths> Entries; ///< by block number
  /// Where the function returns, by the block before: what the ways out have in common is for the
  /// caller to say.
  std::map<unsigned, Paths> Exits;
};

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_ENGINE_SOLVER_H
