//===- Guards.h - What a branch tells about the state ------------------------===//
#ifndef METASAN_ANALYZER_ENGINE_GUARDS_H
#define METASAN_ANALYZER_ENGINE_GUARDS_H

#include "engine/Evaluator.h"
#include "engine/Facts.h"

namespace metasan::analysis {

/// The fact "this call returned true", in a number range of its own.
inline unsigned callFact(Arena &Nodes, const clang::Expr *E) {
  return (1u << 30) | Nodes.temporary(E)->Id;
}
inline unsigned returnFact(const Node *ReturnSlot) { return (1u << 30) | ReturnSlot->Id; }
constexpr bool isCallFact(unsigned Fact) { return (Fact >> 30) == 1; }

class Guards {
public:
  Guards(FunctionContext &Context, const FactTable &Facts) : Context(Context), Facts(Facts) {}

  /// The state on the branch where Condition is Value. Empty when no path goes there; more than one
  /// when the condition is a combination that holds in several ways.
  std::vector<State> assume(State S, const clang::Expr *Condition, bool Value) const;

  /// Knowing the value of Condition tells something about a state or a tracked fact.
  bool tells(const State &S, const clang::Expr *Condition) const;

  /// What is left of a state when a condition says that the object is empty or is not.
  static StateSet narrowed(StateSet Bits, bool Empty);

private:
  /// A tensor or module, or a device variable, that an expression asks about.
  struct Question {
    const clang::Expr *Subject = nullptr;
    bool IsDevice = false;
    bool MeansEmpty = true; ///< true: the answer "yes" means empty; false: it means not empty
    bool Exact = true;      ///< the answer "no" means the opposite
  };

  std::optional<Question> questionOf(const clang::Expr *E, const State &S) const;
  std::optional<Question> comparison(const clang::Expr *Left, const clang::Expr *Right,
                                     const State &S) const;
  bool refine(State &S, const clang::Expr *Site, const clang::Expr *Subject, bool Empty) const;
  const Node *askedScope(const State &S, const clang::Expr *E) const;
  void forgetAskedModules(State &S, const clang::Expr *E) const;

  FunctionContext &Context;
  const FactTable &Facts;
};

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_ENGINE_GUARDS_H
