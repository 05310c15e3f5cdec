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
  Contents[Location] = std::move(Values);
  // Giving a module another part tells that the module is being filled, piece by piece.
  demoteOwners(Location);
}

void State::demoteOwners(const Node *Part) {
  for (const Node *Outer = Part->Base; Outer; Outer = Outer->Base)
    if (Outer->isObject())
      Objects[Outer] = {Unknown, false};
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
  case NodeKind::Part:
    return stateOf(Object->Base);
  case NodeKind::Created:
    return {}; // not created on the paths that lead here
  default:
    return {Unknown, false};
  }
}

ObjectState State::joinOf(const NodeSet &Set) const {
  ObjectState Result{0, true};
  for (const Node *Member : Set) {
    ObjectState One = Member->isObject() ? stateOf(Member) : ObjectState{Unknown, false};
    Result.Bits |= One.Bits;
    Result.Used &= One.Used;
  }
  return Result;
}

void State::setState(const Node *Object, std::uint8_t Bits) {
  std::erase_if(Objects, [&](const auto &Entry) {
    return Entry.first != Object && Entry.first->isWithin(Object);
  });
  if (Bits != Declared)
    std::erase_if(Contents, [&](const auto &Entry) { return Entry.first->isWithin(Object); });
  Objects[Object] = {Bits, false};
  // Filling the parts one by one is a way to fill the whole, and where it ends cannot be seen.
  if (Object->Kind == NodeKind::Part && Bits != Declared)
    demoteOwners(Object);
}

void State::refine(const Node *Object, std::uint8_t Bits) {
  bool Used = stateOf(Object).Used;
  Objects[Object] = {Bits, Used};
  if (Object->Kind == NodeKind::Part && !(Bits & EmptyBits))
    demoteOwners(Object);
}

void State::markUsed(const Node *Object) {
  ObjectState Now = stateOf(Object);
  Objects[Object] = {Now.Bits, true};
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
}

void State::renameScope(const Node *From, const Node *To) {
  for (OpenScope &Open : Scopes)
    if (Open.Scope == From)
      Open.Scope = To;
}

std::uint8_t State::creationBits() const {
  if (Scopes.empty())
    return Materialized;
  bool Certain = llvm::any_of(Scopes, [](const OpenScope &Open) { return Open.OnAllPaths; });
  return Certain ? Declared : Declared | Materialized;
}

void State::collectGarbage() {
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
    if (!Location->isObject() && !IsTemporary(Location))
      Reach(Location);
  std::set<const Node *, NodeOrder> Scanned;
  while (!Pending.empty()) {
    const Node *Next = Pending.back();
    Pending.pop_back();
    // What is stored in a reachable place, and inside it.
    for (const auto &[Location, Values] : Contents)
      if (Location->isWithin(Next) && Scanned.insert(Location).second) {
        Reach(Location);
        for (const Node *Value : Values)
          Reach(Value);
      }
  }
  std::erase_if(Contents, [&](const auto &Entry) { return !Reachable.count(Entry.first); });
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
    std::uint8_t Bits = Left.Bits | Right.Bits;
    // A condition's knowledge ends where its branches meet again.
    if ((Bits & Assumed) && Bits != Assumed)
      Bits = (Bits & ~Assumed) | Unknown;
    bool Used = (Left.Used || !Left.Bits) && (Right.Used || !Right.Bits);
    Objects[Object] = {Bits, Used};
  };
  for (const auto &[Object, S] : Before.Objects)
    JoinObject(Object);
  for (const auto &[Object, S] : Other.Objects)
    if (!Before.Objects.count(Object))
      JoinObject(Object);

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

  return Before.Contents != Contents || Before.Objects != Objects || Before.Devices != Devices ||
         Before.Scopes != Scopes || Before.Facts != Facts || Before.Blurred != Blurred;
}

} // namespace metasan::analysis
