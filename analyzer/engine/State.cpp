#include "engine/State.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>
#include <set>

using namespace clang;

namespace metasan::analysis {

NodeSet State::load(const Node *Location) const {
  if (Location->isObject())
    return Location;
  auto Found = Contents.find(Location);
  if (Found != Contents.end())
    return Found->second;
  // An element nobody stored to by its number may be any that was stored by an unknown one.
  if (Location->Kind == NodeKind::Element) {
    NodeSet Result;
    for (const Node *Other : elementsOf(Location->Base))
      if (Location->Index == Node::AnyElement || Other->Index == Node::AnyElement)
        Result.insert(Contents.at(Other));
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

void State::store(const Node *Location, NodeSet Values) {
  if (Location->isObject())
    return setState(Location, Unknown);
  // Giving a module another part tells that the module is being filled, piece by piece.
  if (!isEmpty(joinOf(Values).Bits))
    demoteOwners(Location);
  Contents[Location] = std::move(Values);
}

NodeSet State::ownersOf(const Node *Part) const {
  NodeSet Result;
  for (const Node *Outer = Part->Base; Outer; Outer = Outer->Base)
    if (Outer->isObject())
      Result.insert(Outer);
  for (const auto &[Module, Registered] : Parts)
    if (Registered.contains(Part))
      Result.insert(Module);
  return Result;
}

void State::demoteOwners(const Node *Part) {
  std::vector<const Node *> Pending{Part};
  while (!Pending.empty()) {
    const Node *Next = Pending.back();
    Pending.pop_back();
    for (const Node *Owner : ownersOf(Next))
      if (stateOf(Owner).Bits & (EmptyBits | AtEntry | Uninitialized)) {
        Objects[Owner] = {.Bits = Unknown};
        Pending.push_back(Owner);
      }
  }
  // One of all the parameters, or of all the modules: any of them.
  if (Part->Kind == NodeKind::Part && !Part->Key)
    demoteRegistered(Part->Base);
}

void State::demoteRegistered(const Node *Module) {
  auto Found = Parts.find(Module);
  if (Found == Parts.end())
    return;
  for (const Node *Part : NodeSet(Found->second))
    if (stateOf(Part).Bits & (EmptyBits | Uninitialized)) {
      Objects[Part] = {.Bits = Unknown};
      demoteRegistered(Part);
    }
}

NodeSet State::elementsOf(const Node *Container) const {
  NodeSet Result;
  for (const auto &[Location, Values] : Contents)
    if (Location->Kind == NodeKind::Element && Location->Base == Container)
      Result.insert(Location);
  return Result;
}

void State::eraseElements(const Node *Container) {
  std::erase_if(Contents, [&](const auto &Entry) {
    return Entry.first->Kind == NodeKind::Element && Entry.first->Base == Container;
  });
}

NodeSet State::globals() const {
  NodeSet Result;
  for (const auto &[Location, Values] : Contents)
    if (Location->Kind == NodeKind::Variable &&
        static_cast<const VarDecl *>(Location->Key)->hasGlobalStorage())
      Result.insert(Location);
  return Result;
}

void State::copyWithin(const Node *Target, const Node *Source) {
  std::function<const Node *(const Node *)> Moved = [&](const Node *Inside) -> const Node * {
    if (Inside == Source)
      return Target;
    const Node *Base = Moved(Inside->Base);
    return Inside->Kind == NodeKind::Field
               ? Nodes->field(Base, static_cast<const FieldDecl *>(Inside->Key))
               : Nodes->element(Base, Inside->Index);
  };
  std::vector<std::pair<const Node *, NodeSet>> Copies;
  for (const auto &[Location, Values] : Contents)
    if (Location != Source && !Location->isObject() && Location->isWithin(Source))
      Copies.push_back({Moved(Location), Values});
  for (auto &[Location, Values] : Copies)
    Contents[Location] = std::move(Values);
}

void State::havocWithin(const Node *Location, const Stmt *Site) {
  for (auto &[Inside, Values] : Contents)
    if (Inside->isWithin(Location)) {
      for (const Node *Held : Values)
        if (Held->isObject())
          setState(Held, Unknown);
      if (Inside->Kind != NodeKind::Reference)
        Values = Nodes->opaque(Site, Inside);
    }
}

ObjectState State::stateOf(const Node *Object) const {
  auto Found = Objects.find(Object);
  if (Found != Objects.end())
    return Found->second;
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
  auto Registered = Parts.find(Object);
  NodeSet Known = Registered == Parts.end() ? NodeSet() : Registered->second;
  // The parts that have no object of their own follow the whole.
  std::erase_if(Objects, [&](const auto &Entry) {
    return Entry.first != Object && Entry.first->isWithin(Object);
  });
  if (Bits != Declared)
    std::erase_if(Contents, [&](const auto &Entry) {
      return Entry.first->isWithin(Object) &&
             llvm::none_of(Entry.second, [&](const Node *Held) { return Known.contains(Held); });
    });
  Objects[Object] = {.Bits = Bits, .Replayable = Replayable};
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
  Objects[Object] = Now;
  if (!(Bits & EmptyBits))
    demoteOwners(Object);
}

void State::markUsed(const Node *Object) {
  ObjectState Now = stateOf(Object);
  Now.Used = true;
  Objects[Object] = Now;
}

void State::markWritten(const Node *Object, MemoryWrite How) {
  ObjectState Now = stateOf(Object);
  if (Now.Bits & Uninitialized)
    return setState(Object, How == MemoryWrite::Whole ? Materialized : Unknown);
  if (!(Now.Bits & AtEntry))
    return;
  Now.Written = std::max(Now.Written, How);
  Objects[Object] = Now;
}

void State::markRandom(const Node *Object) {
  ObjectState Now = stateOf(Object);
  Now.Replayable = false;
  Objects[Object] = Now;
}

void State::registerPart(const Node *Module, const NodeSet &Registered) {
  NodeSet &Known = Parts[Module];
  for (const Node *Part : Registered)
    if (Part->isObject() && !Module->isWithin(Part))
      Known.insert(Part);
}

NodeSet State::partsOf(const Node *Module) const {
  NodeSet Result;
  std::vector<const Node *> Pending{Module};
  while (!Pending.empty()) {
    const Node *Next = Pending.back();
    Pending.pop_back();
    auto Found = Parts.find(Next);
    if (Found == Parts.end())
      continue;
    for (const Node *Part : Found->second)
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

DeviceKind State::deviceAt(const Node *Location) const {
  auto Found = Devices.find(Location);
  return Found == Devices.end() ? DeviceKind::Unknown : Found->second;
}

void State::setDevice(const Node *Location, DeviceKind Kind) {
  if (Kind == DeviceKind::Unknown)
    Devices.erase(Location);
  else
    Devices[Location] = Kind;
}

void State::leaveScope(const Node *Scope) {
  llvm::erase_if(Scopes, [&](const OpenScope &Open) { return Open.Scope == Scope; });
  if (Scope->belongsToCaller())
    Ended.insert(Scope);
}

void State::renameScope(const Node *From, const Node *To) {
  for (OpenScope &Open : Scopes)
    if (Open.Scope == From)
      Open.Scope = To;
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

StateSet State::creationBits() const {
  if (Scopes.empty())
    return Ambient;
  bool Certain = llvm::any_of(Scopes, [](const OpenScope &Open) { return Open.OnAllPaths; });
  return Certain ? Declared : Declared | Ambient;
}

NodeSet State::openScopes() const {
  NodeSet Result;
  for (const OpenScope &Open : Scopes)
    if (Open.OnAllPaths)
      Result.insert(Open.Scope);
  return Result;
}

void State::collectGarbage(bool KeepTemporaries) {
  std::set<const Node *, NodeOrder> Reachable;
  std::vector<const Node *> Pending;
  auto Reach = [&](const Node *Found) {
    // A part keeps what it belongs to.
    for (; Found; Found = Found->Base)
      if (Reachable.insert(Found).second)
        Pending.push_back(Found);
  };
  auto IsTemporary = [](const Node *Location) {
    while (Location->Base && !Location->isObject())
      Location = Location->Base;
    return Location->Kind == NodeKind::Temporary;
  };
  for (const auto &[Location, Values] : Contents)
    if (!Location->root()->isObject() && (KeepTemporaries || !IsTemporary(Location)))
      Reach(Location);
  std::set<const Node *, NodeOrder> Scanned;
  while (!Pending.empty()) {
    const Node *Next = Pending.back();
    Pending.pop_back();
    if (auto Registered = Parts.find(Next); Registered != Parts.end())
      for (const Node *Part : Registered->second)
        Reach(Part);
    // What is stored in a reachable place, and inside it.
    for (const auto &[Location, Values] : Contents)
      if (Location->isWithin(Next) && Scanned.insert(Location).second) {
        Reach(Location);
        for (const Node *Value : Values)
          Reach(Value);
      }
  }
  std::erase_if(Contents, [&](const auto &Entry) { return !Reachable.count(Entry.first); });
  std::erase_if(Parts, [&](const auto &Entry) { return !Reachable.count(Entry.first); });
  std::erase_if(Objects, [&](const auto &Entry) {
    const Node *Root = Entry.first;
    while (Root->Kind == NodeKind::Part)
      Root = Root->Base;
    return Root->Kind == NodeKind::Created && !Reachable.count(Root);
  });
}

bool State::join(const State &Other) {
  State Before = *this;
  // What one side never touched it still holds from the start; a reference or a temporary is simply
  // not alive there.
  auto Absent = [&](const Node *Location) {
    bool Lives = Location->Kind != NodeKind::Reference && Location->Kind != NodeKind::Temporary &&
                 Location->Kind != NodeKind::Return;
    return Lives ? NodeSet(Nodes->defaultContent(Location)) : NodeSet();
  };
  for (auto &[Location, Values] : Contents)
    if (!Other.Contents.count(Location))
      Values.insert(Absent(Location));
  for (const auto &[Location, Values] : Other.Contents) {
    auto [Entry, Inserted] = Contents.try_emplace(Location);
    if (Inserted)
      Entry->second.insert(Absent(Location));
    Entry->second.insert(Values);
  }

  auto JoinObject = [&](const Node *Object) {
    ObjectState Left = Before.stateOf(Object), Right = Other.stateOf(Object);
    ObjectState &Both = Objects[Object];
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
  };
  for (const auto &[Object, S] : Before.Objects)
    JoinObject(Object);
  for (const auto &[Object, S] : Other.Objects)
    if (!Before.Objects.count(Object))
      JoinObject(Object);

  for (const auto &[Module, Registered] : Other.Parts)
    Parts[Module].insert(Registered);

  for (auto Entry = Devices.begin(); Entry != Devices.end();)
    Entry = Other.deviceAt(Entry->first) == Entry->second ? std::next(Entry) : Devices.erase(Entry);

  for (OpenScope &Open : Scopes)
    if (!llvm::is_contained(Other.Scopes, Open))
      Open.OnAllPaths = false;
  for (const OpenScope &Open : Other.Scopes)
    if (llvm::none_of(Scopes, [&](const OpenScope &Mine) { return Mine.Scope == Open.Scope; }))
      Scopes.push_back({Open.Scope, false});

  for (auto Entry = Facts.begin(); Entry != Facts.end();) {
    auto Found = Other.Facts.find(Entry->first);
    bool Same = Found != Other.Facts.end() && Found->second == Entry->second;
    Entry = Same ? std::next(Entry) : Facts.erase(Entry);
  }
  Blurred |= Other.Blurred;
  Ended.insert(Other.Ended);

  return Before.Contents != Contents || Before.Objects != Objects || Before.Devices != Devices ||
         Before.Parts != Parts || Before.Scopes != Scopes || Before.Facts != Facts || Before.Blurred != Blurred;
}

} // namespace metasan::analysis
