//===- Facts.h - Conditions that a function tests more than once -------------===//
//
// Two branches on the same condition are correlated: what happened in the first tells which way the
// second goes. Paths are kept apart by the value of such conditions, and only of those, so that
// independent branches cost nothing.
//
//===----------------------------------------------------------------------===//
#ifndef METASAN_ANALYZER_ENGINE_FACTS_H
#define METASAN_ANALYZER_ENGINE_FACTS_H

#include "engine/State.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <optional>
#include <unordered_map>

namespace metasan::analysis {

/// A tracked condition, and whether the expression at hand is its negation.
struct Condition {
  unsigned Fact;
  bool Negated;
};

class FactTable {
public:
  explicit FactTable(clang::ASTContext &Context) : Context(Context) {}

  /// Collects the conditions of a function, its lambdas included. A few boolean parameters count
  /// however seldom they are tested: the caller may know their values.
  void collect(const clang::FunctionDecl &Function);
  /// The boolean parameters whose values are known.
  std::vector<std::pair<unsigned, bool>> parameterValues(const State &S) const;

  /// The tracked condition an expression stands for. Only what the function tests at least twice is
  /// tracked.
  std::optional<Condition> find(const clang::Expr *E) const;
  /// The tracked condition "Selector == Value" of a switch.
  std::optional<Condition> findCase(const clang::Expr *Selector, const clang::Expr *Value) const;
  std::optional<Condition> findVariable(const clang::VarDecl *Var) const;

  /// Learns that a condition holds or not. False when that contradicts what is known: the path does
  /// not exist.
  bool assume(State &S, Condition C, bool Value) const;

  /// Learns from "int i = 0" what is known of "i == 0", "i != 1", "i > 0" and "i": the first round
  /// of a loop often does something of its own.
  void learnInitial(State &S, const clang::VarDecl &Var) const;

  /// Drops what mentions a variable or field that is written.
  void forget(State &S, const clang::ValueDecl *Written) const;
  /// Drops what depends on the result of a call, which may differ the next time round a loop.
  void forgetCalls(State &S) const;

private:
  struct Entry {
    llvm::FoldingSetNodeID Operand;
    std::optional<llvm::FoldingSetNodeID> Constant; ///< set for "Operand == Constant"
    llvm::DenseSet<const clang::ValueDecl *> Mentions;
    bool HasCall = false;
    const clang::VarDecl *Counter =
        nullptr; ///< the operand is this variable, with a constant start
    std::optional<std::int64_t> Equals, Above, Below; ///< of Counter
    bool OfLoop = false;                              ///< only the ends of loops ask it
    std::optional<unsigned> Parameter;                ///< it is this boolean parameter
    /// The statements and variables that test or set it.
    llvm::SmallPtrSet<const void *, 2> Sites;
  };
  struct Shape {
    const clang::Expr *Operand = nullptr;
    const clang::Expr *Constant = nullptr; ///< of "Operand == Constant"
    const clang::Expr *Smaller = nullptr;  ///< of "Operand > Smaller"
    bool Negated = false;
  };

  Shape shapeOf(const clang::Expr *E) const;
  bool describe(const Shape &S, Entry &Result) const;
  void count(const Shape &S, const void *Site, bool OfLoop = false);
  void add(Entry New);
  void countVariable(const clang::VarDecl &Var);
  std::optional<Condition> lookup(const Shape &S) const;

  friend class ConditionCollector;
  clang::ASTContext &Context;
  std::vector<Entry> Entries;
  std::unordered_map<unsigned, llvm::SmallVector<unsigned, 1>> ByOperand; ///< by hash
};

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_ENGINE_FACTS_H
