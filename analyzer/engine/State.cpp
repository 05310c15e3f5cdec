#include "engine/State.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace metasan::analysis {
namespace {

/// Everything inside a node, itself included.
template <typename Callback> void forEachWithin(const Node *Outer, Callback Found) {
  llvm::SmallVector<const Node *, 16> Pending{Outer};
  while (!Pending.empty()) {
    const Node *Next = Pending.pop_back_val();
    Found(Next);
    Pending.append(Next->Inside.rbegin(), Next->Inside.rend());
  }
}

/// What a reference to Held from inside Holder keeps alive: an object that was created here, or a
/// temporary whose life a reference prolongs. Null when there is no such thing, or it is the holder
/// itself.
const Node *keptAlive(const Node *Holder, const Node *Held) {
  const Node *Root = Held->root();
  bool Counted = Root->Kind == NodeKind::Created || Root->Kind == NodeKind::Temporary;
  return Counted && Holder->root() != Root ? Root : nullptr;
}

ObjectState joined(ObjectState Left, ObjectState Right) {
  ObjectState Both;
  // Narrowed on one side only: where the branches meet, the other side's knowledge is all there is.
  auto Widen = [](ObjectState &Narrowed, const ObjectState &Wide) {
    if (Narrowed.Before && !Wide.Before && !(Narrowed.Before & ~Wide.Bits))
      Narrowed.Bits = Narrowed.Before;
  };
  Widen(Left, Right);
  Widen(Right, Left);
  Both.Bits = Left.Bits | Right.Bits;
  Both.Before = Left.Before == Right.Before ? Left.Before : 0;
  // A condition's knowledge ends where its branches meet again.
  if (Left.Bits != Right.Bits && Both.Before) {
    Both.Bits = Both.Before;
    Both.Before = 0;
  } else if ((Both.Bits & Assumed) && Both.Bits != Assumed) {
    StateSet Forgotten = Left.Bits & Assumed ? Left.Before : Right.Before;
    Both.Bits = (Both.Bits & ~Assumed) | (Forgotten ? Forgotten : StateSet(Unknown));
  }
  // Memory that may be written piece by piece is nobody's to judge.
  if ((Both.Bits & Uninitialized) && (Both.Bits & OpenBits))
    Both.Bits &= ~Uninitialized;
  Both.Used = (Left.Used || !Left.Bits) && (Right.Used || !Right.Bits);
  Both.Written = Left.Written == Right.Written ? Left.Written : MemoryWrite::Part;
  Both.Replayable = (Left.Replayable || !Left.Bits) && (Right.Replayable || !Right.Bits);
  return Both;
}

} // namespace

NodeSet State::load(const Node *Location) const {
  if (Location->isObject())
    return Location;
  if (const NodeSet *Held = Contents.find(Location->Id))
    return *Held;
  // An element nobody stored to by its number may be any that was stored by an unknown one.
  if (Location->Kind == NodeKind::Element) {
    NodeSet Result;
    for (const Node *Other : elementsOf(Location->Base))
      if (Location->Index == Node::AnyElement || Other->Index == Node::AnyElement)
        Result.insert(*Contents.find(Other->Id));
    if (!Result.empty())
      return Result;
  }
  return Nodes->defaultContent(Location);
}

NodeSet State::load(const NodeSet &Places) const {
  NodeSet Result;
  for (const Node *Place : Places)
    Result.insert(load(Place));
  return Result;
}

//===- References ------------------------------------------------------------------===//

void State::reference(const Node *Holder, const Node *Held) {
  const Node *Object = keptAlive(Holder, Held);
  if (!Object)
    return;
  const unsigned *Count = References.find(Object->Id);
  References.set(Object->Id, Count ? *Count + 1 : 1);
}

void State::dereference(const Node *Holder, const Node *Held) {
  const Node *Object = keptAlive(Holder, Held);
  const unsigned *Count = Object ? References.find(Object->Id) : nullptr;
  if (!Count)
    return;
  if (*Count > 1)
    return References.set(Object->Id, *Count - 1);
  References.erase(Object->Id);
  if (Object->Kind == NodeKind::Created)
    Released.push_back(Object);
}

void State::place(const Node *Location, NodeSet Values) {
  const NodeSet *Old = Contents.find(Location->Id);
  if (Old && *Old == Values)
    return;
  for (const Node *Held : Values)
    reference(Location, Held);
  if (Old)
    for (const Node *Held : NodeSet(*Old))
      dereference(Location, Held);
  else if (Location->root()->Kind == NodeKind::Temporary)
    Temporaries.push_back(Location);
  Contents.set(Location->Id, std::move(Values));
}

void State::erase(const Node *Location) {
  const NodeSet *Old = Contents.find(Location->Id);
  if (!Old)
    return;
  NodeSet Held = *Old;
  Contents.erase(Location->Id);
  for (const Node *One : Held)
    dereference(Location, One);
}

void State::forget(const Node *Object) {
  if (const NodeSet *Registered = Parts.find(Object->Id)) {
    for (const Node *Part : NodeSet(*Registered)) {
      NodeSet Others;
      if (const NodeSet *Known = Owners.find(Part->Id))
        for (const Node *Owner : *Known)
          if (Owner != Object)
            Others.insert(Owner);
      Owners.set(Part->Id, Others);
      dereference(Object, Part);
    }
    Parts.erase(Object->Id);
  }
  forEachWithin(Object, [&](const Node *Inside) {
    Objects.erase(Inside->Id);
    erase(Inside);
  });
}

void State::collectGarbage(bool KeepTemporaries) {
  if (!KeepTemporaries)
    for (const Node *Location : std::exchange(Temporaries, {})) {
      if (References.contains(Location->root()->Id))
        Temporaries.push_back(Location);
      else
        erase(Location);
    }
  while (!Released.empty()) {
    const Node *Object = Released.back();
    Released.pop_back();
    if (!References.contains(Object->Id))
      forget(Object);
  }
}

//===- Locations ---------------------------------------------------------------------===//

void State::store(const Node *Location, NodeSet Values) {
  if (Location->isObject())
    return setState(Location, Unknown);
  // Giving a module another part tells that the module is being filled, piece by piece.
  if (!isEmpty(joinOf(Values).Bits))
    demoteOwners(Location);
  place(Location, std::move(Values));
}

NodeSet State::ownersOf(const Node *Part) const {
  NodeSet Result;
  for (const Node *Outer = Part->Base; Outer; Outer = Outer->Base)
    if (Outer->isObject())
      Result.insert(Outer);
  if (const NodeSet *Registered = Owners.find(Part->Id))
    Result.insert(*Registered);
  return Result;
}

void State::demoteOwners(const Node *Part) {
  std::vector<const Node *> Pending{Part};
  while (!Pending.empty()) {
    const Node *Next = Pending.back();
    Pending.pop_back();
    for (const Node *Owner : ownersOf(Next))
      if (stateOf(Owner).Bits & (EmptyBits | AtEntry | Uninitialized)) {
        setObject(Owner, {.Bits = Unknown});
        Pending.push_back(Owner);
      }
  }
  // One of all the parameters, or of all the modules: any of them.
  if (Part->Kind == NodeKind::Part && !Part->Key)
    demoteRegistered(Part->Base);
}

void State::demoteRegistered(const Node *Module) {
  for (const Node *Part : partsOf(Module))
    if (stateOf(Part).Bits & (EmptyBits | Uninitialized))
      setObject(Part, {.Bits = Unknown});
}

NodeSet State::elementsOf(const Node *Container) const {
  NodeSet Result;
  for (const Node *Inside : Container->Inside)
    if (Inside->Kind == NodeKind::Element && holds(Inside))
      Result.insert(Inside);
  return Result;
}

void State::eraseElements(const Node *Container) {
  for (const Node *Element : elementsOf(Container))
    erase(Element);
}

NodeSet State::globals() const {
  NodeSet Result;
  for (const Node *Global : Nodes->globals())
    if (holds(Global))
      Result.insert(Global);
  return Result;
}

void State::copyWithin(const Node *Target, const Node *Source) {
  auto IsPlace = [](const Node *Inside) {
    return Inside->Kind == NodeKind::Field || Inside->Kind == NodeKind::Element;
  };
  auto SamePlaceIn = [&](const Node *Base, const Node *Like) {
    return Like->Kind == NodeKind::Field
               ? Nodes->field(Base, static_cast<const FieldDecl *>(Like->Key))
               : Nodes->element(Base, Like->Index);
  };
  llvm::SmallVector<std::pair<const Node *, const Node *>, 8> Pending{{Source, Target}};
  while (!Pending.empty()) {
    auto [From, To] = Pending.pop_back_val();
    // Places that only the target has take what the source has there from the start.
    for (std::size_t Index = 0; Index < To->Inside.size(); ++Index)
      if (IsPlace(To->Inside[Index]) && holds(To->Inside[Index]))
        SamePlaceIn(From, To->Inside[Index]);
    for (std::size_t Index = 0; Index < From->Inside.size(); ++Index) {
      const Node *Part = From->Inside[Index];
      if (!IsPlace(Part))
        continue;
      const Node *Copy = SamePlaceIn(To, Part);
      if (const NodeSet *Held = Contents.find(Part->Id))
        place(Copy, NodeSet(*Held));
      else if (holds(Copy))
        place(Copy, load(Part));
      Pending.push_back({Part, Copy});
    }
  }
}

void State::havocWithin(const Node *Location, const Stmt *Site) {
  NodeSet Objects;
  forEachWithin(Location, [&](const Node *Inside) {
    if (const NodeSet *Held = Contents.find(Inside->Id))
      Objects.insert(*Held);
  });
  for (const Node *Object : Objects)
    if (Object->isObject())
      setState(Object, Unknown);
  forgetWithin(Location, Site);
}

void State::forgetWithin(const Node *Location, const Stmt *Site) {
  forEachWithin(Location, [&](const Node *Inside) {
    if (Inside->Kind != NodeKind::Reference && holds(Inside))
      place(Inside, Nodes->opaque(Site, Inside));
  });
}

//===- Objects -----------------------------------------------------------------------===//

ObjectState State::stateOf(const Node *Object) const {
  if (const ObjectState *Found = Objects.find(Object->Id))
    return *Found;
  switch (Object->Kind) {
  case NodeKind::Part: {
    ObjectState Whole = stateOf(Object->Base);
    return {.Bits = Whole.Bits, .Before = Whole.Before, .Used = Whole.Used};
  }
  case NodeKind::Created:
    return {}; // not created on the paths that lead here
  case NodeKind::Initial:
    return {.Bits = Object->belongsToCaller() ? AtEntry : Unknown};
  default:
    return {.Bits = Unknown};
  }
}

ObjectState State::joinOf(const NodeSet &Set) const {
  ObjectState Result{.Used = true, .Replayable = true};
  for (const Node *Member : Set) {
    ObjectState One = Member->isObject() ? stateOf(Member) : ObjectState{.Bits = Unknown};
    Result.Bits |= One.Bits;
    Result.Used &= One.Used;
    Result.Replayable &= One.Replayable;
  }
  return Result;
}

void State::setState(const Node *Object, StateSet Bits, bool Replayable) {
  const NodeSet *Registered = Parts.find(Object->Id);
  NodeSet Known = Registered ? *Registered : NodeSet();
  // The parts that have no object of their own follow the whole.
  forEachWithin(Object, [&](const Node *Inside) {
    if (Inside == Object)
      return;
    Objects.erase(Inside->Id);
    const NodeSet *Held = Bits != Declared ? Contents.find(Inside->Id) : nullptr;
    if (Held && llvm::none_of(*Held, [&](const Node *One) { return Known.contains(One); }))
      erase(Inside);
  });
  setObject(Object, {.Bits = Bits, .Replayable = Replayable});
  if (Object->Kind == NodeKind::Created && !References.contains(Object->Id))
    Released.push_back(Object);
  for (const Node *Part : Known)
    if (Part != Object)
      setState(Part, Bits);
  // Filling the parts one by one is a way to fill the whole, and where it ends cannot be seen.
  if (Bits != Declared)
    demoteOwners(Object);
}

void State::refine(const Node *Object, StateSet Bits) {
  ObjectState Now = stateOf(Object);
  if (!Now.Before)
    Now.Before = Now.Bits;
  Now.Bits = Bits;
  setObject(Object, Now);
  if (!(Bits & EmptyBits))
    demoteOwners(Object);
}

void State::markUsed(const Node *Object) {
  ObjectState Now = stateOf(Object);
  Now.Used = true;
  setObject(Object, Now);
}

void State::markWritten(const Node *Object, MemoryWrite How) {
  ObjectState Now = stateOf(Object);
  if (Now.Bits & Uninitialized)
    return setState(Object, How == MemoryWrite::Whole ? Materialized : Unknown);
  if (!(Now.Bits & AtEntry))
    return;
  Now.Written = std::max(Now.Written, How);
  setObject(Object, Now);
}

void State::markRandom(const Node *Object) {
  ObjectState Now = stateOf(Object);
  Now.Replayable = false;
  setObject(Object, Now);
}

void State::registerPart(const Node *Module, const NodeSet &Registered) {
  const NodeSet *Old = Parts.find(Module->Id);
  NodeSet Known = Old ? *Old : NodeSet();
  for (const Node *Part : Registered) {
    if (!Part->isObject() || Module->isWithin(Part) || Known.contains(Part))
      continue;
    Known.insert(Part);
    reference(Module, Part);
    const NodeSet *Others = Owners.find(Part->Id);
    NodeSet All = Others ? *Others : NodeSet();
    All.insert(Module);
    Owners.set(Part->Id, All);
  }
  Parts.set(Module->Id, Known);
}

NodeSet State::partsOf(const Node *Module) const {
  NodeSet Result;
  std::vector<const Node *> Pending{Module};
  while (!Pending.empty()) {
    const Node *Next = Pending.back();
    Pending.pop_back();
    const NodeSet *Registered = Parts.find(Next->Id);
    if (!Registered)
      continue;
    for (const Node *Part : *Registered)
      if (!Result.contains(Part)) {
        Result.insert(Part);
        Pending.push_back(Part);
      }
  }
  return Result;
}

NodeSet State::emptyParts(const Node *Module) const {
  NodeSet Result;
  for (const Node *Part : partsOf(Module))
    if (isEmpty(stateOf(Part).Bits))
      Result.insert(Part);
  return Result;
}

//===- Devices and scopes --------------------------------------------------------------===//

DeviceKind State::deviceAt(const Node *Location) const {
  const DeviceKind *Found = Devices.find(Location->Id);
  return Found ? *Found : DeviceKind::Unknown;
}

void State::setDevice(const Node *Location, DeviceKind Kind) {
  if (Kind == DeviceKind::Unknown)
    Devices.erase(Location->Id);
  else
    Devices.set(Location->Id, Kind);
}

void State::leaveScope(const Node *Scope) {
  llvm::erase_if(Scopes, [&](const OpenScope &Open) { return Open.Scope == Scope; });
  if (Scope->belongsToCaller())
    Ended.insert(Scope);
}

void State::leaveScopesWithin(const Node *Location) {
  llvm::erase_if(Scopes, [&](const OpenScope &Open) { return Open.Scope->isWithin(Location); });
}

NodeSet State::scopesWithin(const Node *Location) const {
  NodeSet Result;
  for (const OpenScope &Open : Scopes)
    if (Open.Scope->isWithin(Location))
      Result.insert(Open.Scope);
  return Result;
}

NodeSet State::openScopes() const {
  NodeSet Result;
  for (const OpenScope &Open : Scopes)
    if (Open.OnAllPaths)
      Result.insert(Open.Scope);
  return Result;
}

void State::renameScope(const Node *From, const Node *To) {
  for (OpenScope &Open : Scopes)
    if (Open.Scope == From)
      Open.Scope = To;
}

StateSet State::creationBits() const {
  if (Scopes.empty())
    return Ambient;
  bool Certain = llvm::any_of(Scopes, [](const OpenScope &Open) { return Open.OnAllPaths; });
  return Certain ? Declared : Declared | Ambient;
}

//===- Joins -----------------------------------------------------------------------------===//

bool State::join(const State &Other) {
  bool Changed = false;
  State Theirs = Other; // shares everything; to compare, the two must have one height

  std::vector<std::pair<const Node *, ObjectState>> NewObjects;
  PersistentMap<ObjectState>::differences(
      Objects, Theirs.Objects, [&](unsigned Id, const ObjectState *, const ObjectState *) {
        const Node *Object = Nodes->byNumber(Id);
        ObjectState Mine = stateOf(Object), Both = joined(Mine, Other.stateOf(Object));
        if (!(Both == Mine))
          NewObjects.push_back({Object, Both});
      });

  // What one side never touched it still holds from the start; a reference or a temporary is simply
  // not alive there.
  std::vector<std::pair<const Node *, NodeSet>> NewContents;
  PersistentMap<NodeSet>::differences(
      Contents, Theirs.Contents, [&](unsigned Id, const NodeSet *Mine, const NodeSet *Others) {
        const Node *Location = Nodes->byNumber(Id);
        bool Lives = Location->Kind != NodeKind::Reference &&
                     Location->Kind != NodeKind::Temporary && Location->Kind != NodeKind::Return;
        NodeSet Absent =
            !Lives || (Mine && Others) ? NodeSet() : NodeSet(Nodes->defaultContent(Location));
        NodeSet Both = Mine ? *Mine : Absent;
        Both.insert(Others ? *Others : Absent);
        if (!Mine || !(*Mine == Both))
          NewContents.push_back({Location, std::move(Both)});
      });

  std::vector<const Node *> LostDevices;
  PersistentMap<DeviceKind>::differences(
      Devices, Theirs.Devices, [&](unsigned Id, const DeviceKind *Mine, const DeviceKind *Others) {
        if (Mine && (!Others || *Mine != *Others))
          LostDevices.push_back(Nodes->byNumber(Id));
      });

  std::vector<std::pair<const Node *, NodeSet>> NewParts;
  PersistentMap<NodeSet>::differences(
      Parts, Theirs.Parts, [&](unsigned Id, const NodeSet *Mine, const NodeSet *Others) {
        if (Others && (!Mine || llvm::any_of(*Others, [&](const Node *Part) {
              return !Mine->contains(Part);
            })))
          NewParts.push_back({Nodes->byNumber(Id), *Others});
      });

  Changed |=
      !NewObjects.empty() || !NewContents.empty() || !LostDevices.empty() || !NewParts.empty();
  for (auto &[Object, Both] : NewObjects)
    setObject(Object, Both);
  for (auto &[Location, Both] : NewContents)
    place(Location, std::move(Both));
  for (const Node *Location : LostDevices)
    Devices.erase(Location->Id);
  for (auto &[Module, Registered] : NewParts)
    registerPart(Module, Registered);

  std::vector<OpenScope> OldScopes = Scopes;
  for (OpenScope &Open : Scopes)
    if (!llvm::is_contained(Other.Scopes, Open))
      Open.OnAllPaths = false;
  for (const OpenScope &Open : Other.Scopes)
    if (llvm::none_of(Scopes, [&](const OpenScope &Mine) { return Mine.Scope == Open.Scope; }))
      Scopes.push_back({Open.Scope, false});
  Changed |= OldScopes != Scopes;

  FactSet OldFacts = Facts;
  Facts.eraseIf([&](const FactSet::Fact &Mine) {
    return Other.Facts.find(Mine.first) != std::optional(Mine.second);
  });
  Changed |= !(OldFacts == Facts);
  Changed |= Other.Blurred && !Blurred;
  Blurred |= Other.Blurred;
  Ended.insert(Other.Ended);
  return Changed;
}

} // namespace metasan::analysis
