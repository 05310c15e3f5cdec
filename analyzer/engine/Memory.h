//===- Memory.h - Abstract locations and objects -----------------------------===//
//
// The memory model's vocabulary. A *location* is storage that holds a handle (a variable, a field,
// an element); an *object* is the tensor or module that handles refer to. Both are interned nodes,
// compared by address and ordered by number, so that results do not depend on where the allocator
// puts them.
//
// An own model, and not Clang's FlowSensitive Environment: LibTorch's handles (ModuleHolder,
// shared_ptr, at::Tensor) put a call between a variable and its object, where the Environment's
// locations end; and what it offers besides (identity of variables, fields and references) is less
// code than the detours around it.
//
//===----------------------------------------------------------------------===//
#ifndef METASAN_ANALYZER_ENGINE_MEMORY_H
#define METASAN_ANALYZER_ENGINE_MEMORY_H

#include "torch_model/Types.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/SmallVector.h"

#include <deque>
#include <map>

namespace metasan::analysis {

enum class NodeKind : std::uint8_t {
  // Locations.
  Variable,  ///< Key: the variable
  Reference, ///< Key: a variable of reference type; holds what it is bound to
  This,      ///< the object a method runs on
  Temporary, ///< Key: the expression whose value it holds
  Heap,      ///< Key: the new expression
  Field,     ///< Base: what contains it; Key: the field
  Element,   ///< Base: the container; Index: the element, or AnyElement
  Target,    ///< Base: a pointer of the caller's; what it points to
  Return,    ///< Key: the body whose return value it holds
  // Objects.
  Created, ///< Key: the expression that created it; Index: which one, of a call that creates
           ///< several
  Initial, ///< Base: the location whose value at function entry it is
  Opaque,  ///< Key: the expression that returned or changed it in an unknown way; Base: the
           ///< location, if any
  Part,    ///< Base: the module; Index: which of its collections (parameters, children); empty when
           ///< the module is
};

struct Node {
  static constexpr std::uint64_t AnyElement = ~0ull;

  unsigned Id;
  NodeKind Kind;
  const void *Key;
  const Node *Base;
  std::uint64_t Index;
  mutable std::vector<const Node *> Inside = {}; ///< what it consists of, as far as that was met

  bool isObject() const { return Kind >= NodeKind::Created; }
  /// What the node lies in: a variable, "this", a temporary, an object that was created here.
  const Node *root() const;
  /// It exists before the function is entered, and the caller can name it.
  bool belongsToCaller() const;
  /// This node is Ancestor, or lies inside it.
  bool isWithin(const Node *Ancestor) const;
};

struct NodeOrder {
  bool operator()(const Node *Left, const Node *Right) const { return Left->Id < Right->Id; }
};

/// A small set of nodes, ordered.
class NodeSet {
public:
  NodeSet() = default;
  NodeSet(const Node *Only) : Nodes{Only} {}

  void insert(const Node *New);
  void insert(const NodeSet &Other);
  bool contains(const Node *Member) const { return llvm::is_contained(Nodes, Member); }
  /// The only member, or null.
  const Node *single() const { return Nodes.size() == 1 ? Nodes.front() : nullptr; }

  bool empty() const { return Nodes.empty(); }
  auto begin() const { return Nodes.begin(); }
  auto end() const { return Nodes.end(); }
  bool operator==(const NodeSet &Other) const { return Nodes == Other.Nodes; }

private:
  llvm::SmallVector<const Node *, 2> Nodes;
};

/// How an object came to have no data; for the notes.
enum class BirthKind : std::uint8_t {
  Unknown,
  Scope,      ///< built while an InitEmptyWeights object is alive
  BuildEmpty, ///< built by init_empty_weights
  MetaDevice, ///< a factory function with the meta device
  MovedToMeta,
  FromEmpty,     ///< computed from an empty tensor or by an empty module
  Guard,         ///< a condition says so
  Uninitialized, ///< memory nobody has written
  CallerScope,   ///< built in a function that was called while a scope was open
  Promised,      ///< the user says so, in an annotation or a model file
};

struct Birth {
  BirthKind Kind = BirthKind::Unknown;
  const clang::Stmt *Site = nullptr;
  const clang::VarDecl *Scope = nullptr; ///< of a Scope birth
  const Node *From = nullptr;            ///< of a FromEmpty birth
  const clang::Expr *Through = nullptr;  ///< the call that brought the object here
};

class Arena {
public:
  explicit Arena(TypeOracle &Types) : Types(Types) {}
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  const Node *variable(const clang::VarDecl *Var) {
    return get(NodeKind::Variable, canonical(Var));
  }
  const Node *reference(const clang::VarDecl *Var) {
    return get(NodeKind::Reference, canonical(Var));
  }
  const Node *self() { return get(NodeKind::This, nullptr); }
  const Node *temporary(const clang::Expr *E) { return get(NodeKind::Temporary, E); }
  const Node *heap(const clang::Expr *E) { return get(NodeKind::Heap, E); }
  const Node *field(const Node *Base, const clang::FieldDecl *Field) {
    return get(NodeKind::Field, Field->getCanonicalDecl(), Base);
  }
  const Node *element(const Node *Base, std::uint64_t Index) {
    return get(NodeKind::Element, nullptr, Base, Index);
  }
  const Node *target(const Node *Pointer) { return get(NodeKind::Target, nullptr, Pointer); }
  const Node *returnValue(const clang::Stmt *Body) { return get(NodeKind::Return, Body); }

  const Node *created(const clang::Stmt *Site, unsigned Which = 0) {
    return get(NodeKind::Created, Site, nullptr, Which);
  }
  const Node *initial(const Node *Location) { return get(NodeKind::Initial, nullptr, Location); }
  const Node *opaque(const clang::Stmt *Site, const Node *Location = nullptr) {
    return get(NodeKind::Opaque, Site, Location);
  }
  const Node *part(const Node *Module, std::uint64_t Which) {
    return get(NodeKind::Part, nullptr, Module, Which);
  }

  const Node *byNumber(unsigned Id) const { return &Storage[Id]; }
  std::size_t size() const { return Storage.size(); }
  /// The global and static variables that were met.
  llvm::ArrayRef<const Node *> globals() const { return Globals; }

  /// What a location holds that nothing has been stored to: a part of the module it lies in, or an
  /// unknown object.
  const Node *defaultContent(const Node *Location);

  /// The first birth recorded for an object is kept: the fixpoint visits a site more than once.
  void recordBirth(const Node *Object, Birth How) { Births.try_emplace(Object, How); }
  const Birth *birthOf(const Node *Object) const;
  /// A call that gives the object data on the paths that pass it.
  void recordFilling(const Node *Object, const clang::Expr *Site) {
    Fillings.try_emplace(Object, Site);
  }
  const clang::Expr *fillingOf(const Node *Object) const { return lookup(Fillings, Object); }
  /// View shares the memory of Base.
  void recordView(const Node *Base, const Node *View) {
    Views[Base].insert(View);
    Bases.try_emplace(View, Base);
  }
  /// Null when the object is no view.
  const Node *baseOf(const Node *View) const {
    auto Found = Bases.find(View);
    return Found == Bases.end() ? nullptr : Found->second;
  }
  /// The views of an object, or of what it consists of.
  NodeSet viewsOf(const Node *Object) const;
  /// A call that puts a module on its devices.
  void recordPlacement(const Node *Object, const clang::Expr *Site) {
    Placements.try_emplace(Object, Site);
  }
  const clang::Expr *placementOf(const Node *Object) const { return lookup(Placements, Object); }
  /// A call that gives what was empty memory without values.
  void recordAllocation(const Node *Object, const clang::Expr *Site) {
    Allocations.try_emplace(Object, Site);
  }
  const clang::Expr *allocationOf(const Node *Object) const { return lookup(Allocations, Object); }

private:
  using Sites = std::map<const Node *, const clang::Expr *, NodeOrder>;
  static const clang::Expr *lookup(const Sites &Table, const Node *Object) {
    auto Found = Table.find(Object);
    return Found == Table.end() ? nullptr : Found->second;
  }
  static const clang::VarDecl *canonical(const clang::VarDecl *Var) {
    return Var->getCanonicalDecl();
  }
  const Node *get(NodeKind Kind, const void *Key, const Node *Base = nullptr,
                  std::uint64_t Index = 0);

  TypeOracle &Types;
  using Identity = std::tuple<NodeKind, const void *, const Node *, std::uint64_t>;
  std::map<Identity, const Node *> Interned;
  std::deque<Node> Storage;
  std::vector<const Node *> Globals;
  std::map<const Node *, Birth, NodeOrder> Births;
  std::map<const Node *, NodeSet, NodeOrder> Views;
  std::map<const Node *, const Node *, NodeOrder> Bases;
  Sites Fillings, Placements, Allocations;
};

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_ENGINE_MEMORY_H
