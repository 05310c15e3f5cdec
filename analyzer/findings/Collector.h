//===- Collector.h - What all paths together say about each use --------------===//
#ifndef METASAN_ANALYZER_FINDINGS_COLLECTOR_H
#define METASAN_ANALYZER_FINDINGS_COLLECTOR_H

#include "engine/Transfer.h"
#include "findings/Diagnosis.h"

namespace metasan::analysis {

class Collector : public UseSink {
public:
  Collector(FunctionContext &Context, const FactTable &Facts) : Context(Context), Facts(Facts) {}

  void reached(const Use &At, const State &S) override;

  /// In the order the uses were first reached; one finding per object and rule.
  std::vector<Diagnosis> findings(const clang::FunctionDecl &Function) const;
  /// What the callers have to see to.
  std::vector<Requirement> requirements() const;

private:
  /// How a use can turn out, as a set of bits.
  enum Outcome : std::uint8_t {
    Wrong = 1,
    WrongByAssumption = 2, ///< a condition says so; tells nothing when other paths are right
    Right = 4,
    Unknowable = 8,
    UpToCaller = 16,
  };
  struct Total {
    Use At;
    std::uint8_t Outcomes = 0;
    bool OnlyBlurred = true; ///< every wrong path is a mixture of others
    bool Follows = true;     ///< every wrong path has an earlier mistake about the same object
    NodeSet Culprits = {};
    NodeSet Open = {}; ///< the objects that are up to the caller
    NodeSet OpenCompanions = {};
    bool NeedsNoScope = false;
    bool UnderScope = false;
    bool AboutScope = false;
    std::optional<ParameterValues> When = std::nullopt; ///< on every path
  };

  void reachedObject(Total &T, const Node *Object, StateSet Bad, Outcome Companions,
                     const State &S);
  Requirement requirement(const Total &T) const;
  /// The caller's object that an object of this function was computed from; null when there is
  /// none.
  const Node *origin(const Node *Object) const;

  FunctionContext &Context;
  const FactTable &Facts;
  using Key = std::tuple<Rule, const clang::Expr *, const clang::Expr *, const clang::Expr *>;
  std::map<Key, Total> Totals;
  std::vector<const Total *> Order;
};

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_FINDINGS_COLLECTOR_H
