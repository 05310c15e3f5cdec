//===- State.h - The typestate lattice ---------------------------------------===//
//
// What is known at one point of a function, on the paths that agree on a set of facts (Facts.h).
// Finite: the nodes, the states and the facts of a function are bounded by its size.
//
//===----------------------------------------------------------------------===//
#ifndef METASAN_ANALYZER_ENGINE_STATE_H
#define METASAN_ANALYZER_ENGINE_STATE_H

#include "engine/Memory.h"

namespace metasan::analysis {

/// The states an object can be in, as a set of bits.
enum StateBits : std::uint8_t {
  Declared = 1,     ///< no data, and the analysis saw how that came about
  Assumed = 2,      ///< no data, as a condition says; after the branches join this tells nothing
  Materialized = 4, ///< has data
  Unknown = 8,
  EmptyBits = Declared | Assumed,
};

struct ObjectState {
  std::uint8_t Bits = 0;
  /// On every path the object has already been used where it needed data: a later use is the same
  /// mistake again.
  bool Used = false;
  bool operator==(const ObjectState &) const = default;
};

enum class DeviceKind : std::uint8_t {
  Unknown,
  Unset, ///< options without a device
  Real,  ///< known, and not meta
  Meta,
  OfTensor, ///< the device of a tensor in an unknown state: meta as likely as not
};

class State {
public:
  explicit State(Arena &Nodes) : Nodes(&Nodes) {}

  // Locations.
  NodeSet load(const Node *Location) const;
  NodeSet load(const NodeSet &Places) const;
  bool holds(const Node *Location) const { return Contents.count(Location) != 0; }
  void store(const Node *Location, NodeSet Values);
  /// Copies everything stored inside Source to the same places inside Target.
  void copyWithin(const Node *Target, const Node *Source);
  /// Everything stored inside the location becomes unknown, by Site.
  void havocWithin(const Node *Location, const clang::Stmt *Site);
  /// Takes out of a location those objects that cannot be there.
  template <typename Predicate> void filter(const Node *Location, Predicate Keep);
  /// The numbers of the elements of a container something was stored to.
  NodeSet elementsOf(const Node *Container) const;
  /// The location's life is over.
  void erase(const Node *Location) { Contents.erase(Location); }
  void eraseElements(const Node *Container);
  /// The global and static variables something was stored to.
  NodeSet globals() const;

  // Objects.
  ObjectState stateOf(const Node *Object) const;
  ObjectState joinOf(const NodeSet &Objects) const;
  /// The object itself changes: what it consists of changes with it, and what it is part of is no
  /// longer known to be empty.
  void setState(const Node *Object, std::uint8_t Bits);
  /// A condition tells something about the object, which does not change.
  void refine(const Node *Object, std::uint8_t Bits);
  void markUsed(const Node *Object);

  // Devices.
  DeviceKind deviceAt(const Node *Location) const;
  void setDevice(const Node *Location, DeviceKind Kind);

  // Empty-weights scopes, innermost last.
  void enterScope(const Node *Scope) { leaveScope(Scope), Scopes.push_back({Scope, true}); }
  void leaveScope(const Node *Scope);
  void renameScope(const Node *From, const Node *To);
  bool inScope() const { return !Scopes.empty(); }
  /// The bits of what is created here, when nothing but the scope decides.
  std::uint8_t creationBits() const;
  const Node *innermostScope() const { return Scopes.empty() ? nullptr : Scopes.back().Scope; }

  /// Forgets the values of temporaries whose expression is over, and objects that nothing refers to
  /// any more: what became of those must not mix with what became of the objects of other paths.
  void collectGarbage();

  /// Merges what is known on other paths; tells whether anything changed.
  bool join(const State &Other);

  std::map<unsigned, bool> Facts;
  /// Paths with different facts were merged: what is possible here only by their mixture must not
  /// be reported.
  bool Blurred = false;

private:
  struct OpenScope {
    const Node *Scope;
    bool OnAllPaths;
    bool operator==(const OpenScope &) const = default;
  };

  /// What a part belongs to is filled piece by piece: from here on its state is not known.
  void demoteOwners(const Node *Part);

  Arena *Nodes;
  std::map<const Node *, NodeSet, NodeOrder> Contents;
  std::map<const Node *, ObjectState, NodeOrder> Objects;
  std::map<const Node *, DeviceKind, NodeOrder> Devices;
  std::vector<OpenScope> Scopes;
};

template <typename Predicate> void State::filter(const Node *Location, Predicate Keep) {
  NodeSet Kept;
  for (const Node *Object : load(Location))
    if (Keep(Object))
      Kept.insert(Object);
  if (!Kept.empty())
    Contents[Location] = Kept;
}

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_ENGINE_STATE_H
