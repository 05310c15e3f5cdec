//===- State.h - The typestate lattice ---------------------------------------===//
//
// What is known at one point of a function, on the paths that agree on a set of facts (Facts.h).
// Finite: the nodes, the states and the facts of a function are bounded by its size.
//
//===----------------------------------------------------------------------===//
#ifndef METASAN_ANALYZER_ENGINE_STATE_H
#define METASAN_ANALYZER_ENGINE_STATE_H

#include "engine/Memory.h"
#include "engine/PersistentMap.h"

namespace metasan::analysis {

/// The states an object can be in, as a set of bits.
using StateSet = std::uint16_t;
enum StateBits : StateSet {
  Declared = 1,     ///< no data, and the analysis saw how that came about
  Assumed = 2,      ///< no data, as a condition says; after the branches join this tells nothing
  Materialized = 4, ///< has data
  Unknown = 8,
  Uninitialized = 16, ///< has memory that nobody has written
  Placed = 32,        ///< has data, on the devices of its device map
  AtEntry = 64,       ///< what it was when the function was entered: the caller knows
  Ambient = 128,      ///< created outside any scope of this function: empty when the caller has one
                      ///< open, and with data otherwise

  EmptyBits = Declared | Assumed,
  DataBits = Materialized | Placed | Ambient,
  OpenBits = Unknown | AtEntry,
};

constexpr bool isEmpty(StateSet Bits) { return Bits && !(Bits & ~EmptyBits); }
constexpr bool hasData(StateSet Bits) { return Bits && !(Bits & ~DataBits); }

/// What became of the memory of an object that is up to the caller.
enum class MemoryWrite : std::uint8_t {
  None,
  Part, ///< perhaps, or in part
  Whole,
};

struct ObjectState {
  StateSet Bits = 0;
  /// What a condition narrowed; 0 when the bits come from what happened to the object.
  StateSet Before = 0;
  /// On every path the object has already been used where it needed data: a later use is the same
  /// mistake again.
  bool Used = false;
  /// Its values follow from the program alone, so that the runtime can compute them although the
  /// object has none: a linspace is, a parameter or a random tensor is not.
  bool Replayable = false;
  MemoryWrite Written = MemoryWrite::None;
  bool operator==(const ObjectState &) const = default;
};

enum class DeviceKind : std::uint8_t {
  Unknown,
  Unset, ///< options without a device
  Real,  ///< known, and not meta
  Meta,
  OfTensor, ///< the device of a tensor in an unknown state: meta as likely as not
};

/// The conditions whose value is known on a path, by number.
class FactSet {
public:
  using Fact = std::pair<unsigned, bool>;

  std::optional<bool> find(unsigned Number) const {
    auto Position = lowerBound(Number);
    return Position != Known.end() && Position->first == Number ? std::optional(Position->second)
                                                                : std::nullopt;
  }
  void set(unsigned Number, bool Value) {
    auto Position = Known.begin() + (lowerBound(Number) - Known.begin());
    if (Position != Known.end() && Position->first == Number)
      Position->second = Value;
    else
      Known.insert(Position, {Number, Value});
  }
  /// False when it was not known.
  bool erase(unsigned Number) {
    if (!find(Number))
      return false;
    Known.erase(Known.begin() + (lowerBound(Number) - Known.begin()));
    return true;
  }
  template <typename Predicate> void eraseIf(Predicate Match) { std::erase_if(Known, Match); }
  auto begin() const { return Known.begin(); }
  auto end() const { return Known.end(); }
  bool operator==(const FactSet &) const = default;

private:
  std::vector<Fact>::const_iterator lowerBound(unsigned Number) const {
    return llvm::lower_bound(Known, Number,
                             [](const Fact &One, unsigned Wanted) { return One.first < Wanted; });
  }
  std::vector<Fact> Known;
};

class State {
public:
  explicit State(Arena &Nodes) : Nodes(&Nodes) {}

  // Locations.
  NodeSet load(const Node *Location) const;
  NodeSet load(const NodeSet &Places) const;
  bool holds(const Node *Location) const { return Contents.contains(Location->Id); }
  void store(const Node *Location, NodeSet Values);
  /// The same, without conclusions about what the location lies in.
  void place(const Node *Location, NodeSet Values);
  /// Copies everything stored inside Source to the same places inside Target.
  void copyWithin(const Node *Target, const Node *Source);
  /// Everything stored inside the location becomes unknown, by Site.
  void havocWithin(const Node *Location, const clang::Stmt *Site);
  /// Something unknown is stored everywhere inside the location.
  void forgetWithin(const Node *Location, const clang::Stmt *Site);
  /// Takes out of a location those objects that cannot be there.
  template <typename Predicate> void filter(const Node *Location, Predicate Keep);
  /// The numbers of the elements of a container something was stored to.
  NodeSet elementsOf(const Node *Container) const;
  /// The location's life is over.
  void erase(const Node *Location);
  void eraseElements(const Node *Container);
  /// The global and static variables something was stored to.
  NodeSet globals() const;

  // Objects.
  ObjectState stateOf(const Node *Object) const;
  ObjectState joinOf(const NodeSet &Objects) const;
  /// The object itself changes: what it consists of changes with it, and what it is part of is no
  /// longer known to be empty.
  void setState(const Node *Object, StateSet Bits, bool Replayable = false);
  /// A condition tells something about the object, which does not change.
  void refine(const Node *Object, StateSet Bits);
  void markUsed(const Node *Object);
  /// Its memory is written: what was uninitialized has values.
  void markWritten(const Node *Object, MemoryWrite How);
  /// Its values depend on more than the program from here on.
  void markRandom(const Node *Object);
  /// A module's registered tensors and modules.
  void registerPart(const Node *Module, const NodeSet &Parts);
  /// What in the module has no data for certain, registered parts of parts included; empty when
  /// nothing is known to be missing.
  NodeSet emptyParts(const Node *Module) const;
  /// Registered parts, parts of parts included.
  NodeSet partsOf(const Node *Module) const;

  // Devices.
  DeviceKind deviceAt(const Node *Location) const;
  void setDevice(const Node *Location, DeviceKind Kind);

  // Empty-weights scopes, innermost last.
  bool isOpen(const Node *Scope) const {
    return llvm::any_of(Scopes, [&](const OpenScope &Open) { return Open.Scope == Scope; });
  }
  void enterScope(const Node *Scope) { leaveScope(Scope), Scopes.push_back({Scope, true}); }
  void leaveScope(const Node *Scope);
  /// Scopes held by something inside the location, such as a member of a guard class.
  void leaveScopesWithin(const Node *Location);
  NodeSet scopesWithin(const Node *Location) const;
  void renameScope(const Node *From, const Node *To);
  bool inScope() const { return !Scopes.empty(); }
  /// The bits of what is created here, when nothing but the scope decides.
  StateSet creationBits() const;
  const Node *innermostScope() const { return Scopes.empty() ? nullptr : Scopes.back().Scope; }

  /// Forgets the values of temporaries whose expression is over, and objects that nothing refers to
  /// any more: what became of those must not mix with what became of the objects of other paths.
  /// KeepTemporaries: in the middle of an expression.
  void collectGarbage(bool KeepTemporaries = false);

  std::vector<std::pair<const Node *, NodeSet>> contents() const { return listed(Contents); }
  std::vector<std::pair<const Node *, ObjectState>> objects() const { return listed(Objects); }
  std::vector<std::pair<const Node *, DeviceKind>> devices() const { return listed(Devices); }
  std::vector<std::pair<const Node *, NodeSet>> registeredParts() const { return listed(Parts); }
  /// The scopes that are open on all paths.
  NodeSet openScopes() const;
  /// The caller's scopes that were ended.
  const NodeSet &endedScopes() const { return Ended; }

  /// Merges what is known on other paths; tells whether anything changed.
  bool join(const State &Other);

  FactSet Facts;
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
  void demoteRegistered(const Node *Module);
  NodeSet ownersOf(const Node *Part) const;

  template <typename Value>
  std::vector<std::pair<const Node *, Value>> listed(const PersistentMap<Value> &Map) const {
    std::vector<std::pair<const Node *, Value>> Result;
    for (auto &[Id, Held] : Map.entries())
      Result.push_back({Nodes->byNumber(Id), std::move(Held)});
    return Result;
  }
  void setObject(const Node *Object, ObjectState New) { Objects.set(Object->Id, New); }
  void reference(const Node *Holder, const Node *Held);
  void dereference(const Node *Holder, const Node *Held);
  void forget(const Node *Object);

  Arena *Nodes;
  PersistentMap<NodeSet> Contents;
  PersistentMap<ObjectState> Objects;
  PersistentMap<DeviceKind> Devices;
  PersistentMap<NodeSet> Parts;  ///< what was registered with a module
  PersistentMap<NodeSet> Owners; ///< the modules a part was registered with
  /// How many places and modules hold an object that was created here.
  PersistentMap<unsigned> References;
  std::vector<const Node *> Temporaries; ///< that hold something
  std::vector<const Node *> Released;    ///< created here, and perhaps held by nothing any more
  std::vector<OpenScope> Scopes;
  NodeSet Ended;
};

template <typename Predicate> void State::filter(const Node *Location, Predicate Keep) {
  NodeSet Kept;
  for (const Node *Object : load(Location))
    if (Keep(Object))
      Kept.insert(Object);
  if (!Kept.empty())
    place(Location, Kept);
}

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_ENGINE_STATE_H
