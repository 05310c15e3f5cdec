//===- Summary.h - What a call of a function does to its caller's state -------===//
//
// Found once per function, callees first, and applied at every call. A summary speaks of the nodes
// of its own function; only those that belong to the caller (parameters, "this", globals and what
// lies inside them), the return slot, and what the function creates have a meaning outside.
//
//===----------------------------------------------------------------------===//
#ifndef METASAN_ANALYZER_ENGINE_SUMMARY_H
#define METASAN_ANALYZER_ENGINE_SUMMARY_H

#include "engine/State.h"
#include "metasan/rules.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <optional>
#include <string>

namespace metasan::analysis {

/// What a use of a scope is about; the rules on tensors need no more than the rule.
enum class ScopeIssue : std::uint8_t {
  None,
  ValueRead,   ///< values that cannot be replayed are read
  Load,        ///< weights are loaded
  StaticTable, ///< a function's own constant is made
};

/// What boolean parameters have to be for something to happen: number and value.
using ParameterValues = llvm::SmallVector<std::pair<unsigned, bool>, 2>;

/// A place where data are needed that depends on the caller: wrong if the caller passes something
/// empty.
struct Requirement {
  Rule Violates;
  /// What must have data; null when the caller has no name for it.
  const Node *Subject = nullptr;
  StateSet Bad = EmptyBits;
  /// Wrong when the caller has a scope open, whatever the subject is.
  bool AboutScope = false;
  /// The subject is empty whatever the caller does, and it is Companion that decides.
  bool SubjectIsEmpty = false;
  /// Wrong only if this has data at the same time; null when nothing else matters.
  const Node *Companion = nullptr;
  /// What stands beside the subject was made here, and has data only outside the caller's scopes.
  bool NeedsNoScope = false;
  bool Certain = true;      ///< wrong on every path that gets there
  bool WholeModule = false; ///< one empty part is enough
  ScopeIssue Issue = ScopeIssue::None;
  ParameterValues When;
  /// A function's own constant that is made there; not again if it was made before.
  const clang::VarDecl *Static = nullptr;
  std::string Operation; ///< "item": what happens to the subject in the end
  std::string Name;      ///< of the subject, in the function where it happens
  /// The calls on the way down, and the place itself at the end.
  std::vector<const clang::Expr *> Path;
};

struct Summary {
  enum class Kind : std::uint8_t {
    Bottom, ///< not known yet, inside a recursion: the call does not come back
    Known,
    Opaque, ///< anything may happen
  };
  Kind Status = Kind::Opaque;
  /// Owns the nodes that the rest speaks of.
  std::shared_ptr<Arena> Nodes;
  /// It calls itself, perhaps through others: what it creates is one object to its callers, or
  /// there would be another with each round.
  bool Recursive = false;

  /// A way out of the function, with what holds there.
  struct Exit {
    State After;
    ParameterValues When;
    std::optional<bool> Returns;
  };
  std::vector<Exit> Exits;   ///< empty when it never returns
  bool CallsUnknown = false; ///< any global may have changed
  std::vector<Requirement> Requires;

  /// Equal for summaries that say the same; to end the search for a fixpoint.
  std::string fingerprint() const;
};

/// The summaries found so far.
class SummaryStore {
public:
  const Summary *find(const clang::FunctionDecl &Function) const {
    auto Found = Known.find(Function.getCanonicalDecl());
    return Found == Known.end() ? nullptr : Found->second.get();
  }
  void set(const clang::FunctionDecl &Function, std::unique_ptr<Summary> New) {
    Known[Function.getCanonicalDecl()] = std::move(New);
  }
  /// The methods of this translation unit that override a virtual one.
  llvm::DenseMap<const clang::CXXMethodDecl *, llvm::SmallVector<const clang::CXXMethodDecl *, 2>>
      Overriders;

private:
  llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<Summary>> Known;
};

/// The arguments of a call by the callee's parameters.
struct CallArguments {
  const clang::Expr *Object = nullptr; ///< of a member call
  std::optional<NodeSet> Self;         ///< the object instead, when no expression denotes it
  llvm::ArrayRef<const clang::Expr *> Arguments;
};

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_ENGINE_SUMMARY_H
