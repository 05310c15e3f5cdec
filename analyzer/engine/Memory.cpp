#include "engine/Memory.h"

using namespace clang;

namespace metasan::analysis {

bool Node::isWithin(const Node *Ancestor) const {
  for (const Node *Current = this; Current; Current = Current->Base)
    if (Current == Ancestor)
      return true;
  return false;
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

const Node *Arena::get(NodeKind Kind, const void *Key, const Node *Base, std::uint64_t Index) {
  const Node *&Entry = Interned[{Kind, Key, Base, Index}];
  if (!Entry) {
    Storage.push_back({static_cast<unsigned>(Storage.size()), Kind, Key, Base, Index});
    Entry = &Storage.back();
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

const Expr *Arena::fillingOf(const Node *Object) const {
  auto Found = Fillings.find(Object);
  return Found == Fillings.end() ? nullptr : Found->second;
}

} // namespace metasan::analysis
