#include "engine/Memory.h"

using namespace clang;

namespace metasan::analysis {

bool Node::isWithin(const Node *Ancestor) const {
  for (const Node *Current = this; Current; Current = Current->Base)
    if (Current == Ancestor)
      return true;
  return false;
}

const Node *Node::root() const {
  const Node *Current = this;
  while (Current->Base)
    Current = Current->Base;
  return Current;
}

bool Node::belongsToCaller() const {
  const Node *Root = root();
  if (Root->Kind == NodeKind::This)
    return true;
  if (Root->Kind != NodeKind::Variable)
    return false;
  const auto *Var = static_cast<const VarDecl *>(Root->Key);
  return isa<ParmVarDecl>(Var) || Var->hasGlobalStorage();
}

void NodeSet::insert(const Node *New) {
  auto Position = llvm::lower_bound(Nodes, New, NodeOrder());
  if (Position == Nodes.end() || *Position != New)
    Nodes.insert(Position, New);
}

void NodeSet::insert(const NodeSet &Other) {
  for (const Node *New : Other)
    insert(New);
}

namespace {

/// What lies inside itself: the next of the next of a list is a next. Without that, a loop over a
/// list would find a place it has not seen in every round. Containers of containers are told apart
/// to a depth of three.
const Node *folded(NodeKind Kind, const void *Key, const Node *Base, std::uint64_t Index) {
  if (Kind != NodeKind::Field && Kind != NodeKind::Part && Kind != NodeKind::Element &&
      Kind != NodeKind::Target)
    return nullptr;
  unsigned Same = 0;
  for (const Node *Outer = Base; Outer; Outer = Outer->Base)
    if (Outer->Kind == Kind && Outer->Key == Key && Outer->Index == Index &&
        ++Same == (Key ? 1u : 3u))
      return Outer;
  return nullptr;
}

} // namespace

const Node *Arena::get(NodeKind Kind, const void *Key, const Node *Base, std::uint64_t Index) {
  if (const Node *Outer = folded(Kind, Key, Base, Index))
    return Outer;
  const Node *&Entry = Interned[{Kind, Key, Base, Index}];
  if (!Entry) {
    Storage.push_back({static_cast<unsigned>(Storage.size()), Kind, Key, Base, Index});
    Entry = &Storage.back();
    bool IsContent = Kind == NodeKind::Initial || Kind == NodeKind::Opaque;
    if (Base && !IsContent)
      Base->Inside.push_back(Entry);
    else if (!Base && Kind == NodeKind::Variable &&
             static_cast<const VarDecl *>(Key)->hasGlobalStorage())
      Globals.push_back(Entry);
  }
  return Entry;
}

const Node *Arena::defaultContent(const Node *Location) {
  // A member of a module that nobody has assigned is as empty as the module. Each member is a part
  // of its own.
  if (Location->Kind == NodeKind::Field && Location->Base->isObject())
    return get(NodeKind::Part, Location->Key, Location->Base);
  if (Location->Kind == NodeKind::Element && Location->Base->isObject())
    return part(Location->Base, Location->Index);
  // A pointer of the caller's points to a place; one to a module stands for the module itself.
  QualType Type;
  if (Location->Kind == NodeKind::Variable)
    Type = static_cast<const VarDecl *>(Location->Key)->getType();
  else if (Location->Kind == NodeKind::Field)
    Type = static_cast<const FieldDecl *>(Location->Key)->getType();
  if (!Type.isNull() && Type->isPointerType() && !Types.isModuleClass(Type) &&
      Location->belongsToCaller())
    return target(Location);
  return initial(Location);
}

const Birth *Arena::birthOf(const Node *Object) const {
  // A part of a module is as old as the module.
  for (; Object; Object = Object->Kind == NodeKind::Part ? Object->Base : nullptr) {
    auto Found = Births.find(Object);
    if (Found != Births.end())
      return &Found->second;
  }
  return nullptr;
}

NodeSet Arena::viewsOf(const Node *Object) const {
  NodeSet Result;
  for (const auto &[Base, Seen] : Views)
    if (Base->isWithin(Object))
      Result.insert(Seen);
  return Result;
}

} // namespace metasan::analysis
