// The part of Transfer for calls of functions whose effect is known: from a summary of their body,
// or from what the user says about them.
#include "engine/Transfer.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace metasan::analysis {
namespace {

/// Longer ways down say nothing more to a reader.
constexpr std::size_t MaxPath = 6;

} // namespace

/// Turns the nodes of a callee into those of the caller, at one call.
class Translation {
public:
  Translation(FunctionContext &Context, const State &Before, const Expr *Site,
              const Summary &Callee, const CallArguments &Arguments)
      : Context(Context), Before(Before), Site(Site), Callee(Callee), Arguments(Arguments) {}

  NodeSet of(const Node *Inner) {
    auto [Entry, New] = Known.try_emplace(Inner);
    if (New) {
      NodeSet Result = translate(Inner);
      Known[Inner] = Result;
      return Result;
    }
    return Entry->second;
  }
  NodeSet of(const NodeSet &Inner) {
    NodeSet Result;
    for (const Node *One : Inner)
      Result.insert(of(One));
    return Result;
  }

  /// The tensors or modules behind a node of the callee.
  NodeSet objectsOf(const Node *Inner) { return Before.load(of(Inner)); }

  /// How the caller spells what a node of the callee lies in; null when it has no name for it.
  const Expr *spelled(const Node *Inner) const {
    const Node *Root = Inner->root();
    if (Root->Kind == NodeKind::This)
      return Arguments.Object;
    if (Root->Kind == NodeKind::Variable)
      if (const Expr *Arg = argumentOf(*static_cast<const VarDecl *>(Root->Key)))
        return Arg;
    return nullptr;
  }

  /// The place means something to the caller, so that what is in it has to be carried over.
  bool isVisible(const Node *Place) const {
    const Node *Root = Place->root();
    switch (Root->Kind) {
    case NodeKind::This:
    case NodeKind::Return:
    case NodeKind::Created:
    case NodeKind::Heap:
      return true;
    case NodeKind::Variable: {
      const auto *Var = static_cast<const VarDecl *>(Root->Key);
      if (!isa<ParmVarDecl>(Var))
        return Var->hasGlobalStorage();
      if (Var->getType()->isReferenceType())
        return true;
      // A parameter by value is a copy, but what it points to is the caller's.
      for (const Node *Outer = Place; Outer; Outer = Outer->Base)
        if (Outer->Kind == NodeKind::Target || Outer->isObject())
          return true;
      return false;
    }
    default:
      return false;
    }
  }

private:
  const Expr *argumentOf(const VarDecl &Param) const {
    const auto *P = dyn_cast<ParmVarDecl>(&Param);
    if (!P)
      return nullptr;
    unsigned Index = P->getFunctionScopeIndex();
    return Index < Arguments.Arguments.size() ? Arguments.Arguments[Index] : nullptr;
  }

  NodeSet self() const {
    if (Arguments.Self)
      return *Arguments.Self;
    Evaluator Eval(Context, Before);
    if (!Arguments.Object)
      return Context.Nodes.opaque(Site);
    return Context.Types.isModule(Arguments.Object->getType()) ? Eval.objects(Arguments.Object)
                                                               : Eval.places(Arguments.Object);
  }

  NodeSet translate(const Node *Inner) {
    Evaluator Eval(Context, Before);
    switch (Inner->Kind) {
    case NodeKind::This:
      return self();
    case NodeKind::Variable: {
      const auto *Var = static_cast<const VarDecl *>(Inner->Key);
      if (const Expr *Arg = argumentOf(*Var))
        return Eval.places(Arg);
      return isa<ParmVarDecl>(Var) ? NodeSet() : NodeSet(Context.Nodes.variable(Var));
    }
    case NodeKind::Target: {
      // A pointer parameter's argument already denotes what it points to.
      const Node *Pointer = Inner->Base;
      if (Pointer->Kind == NodeKind::Variable)
        return of(Pointer);
      return Before.load(of(Pointer));
    }
    case NodeKind::Initial:
      return Before.load(of(Inner->Base));
    case NodeKind::Field:
    case NodeKind::Element:
    case NodeKind::Part: {
      NodeSet Result;
      for (const Node *Base : of(Inner->Base)) {
        const Node *Place =
            Inner->Kind == NodeKind::Element || !Inner->Key
                ? Context.Nodes.element(Base, Inner->Index)
                : Context.Nodes.field(Base, static_cast<const FieldDecl *>(Inner->Key));
        if (Inner->Kind == NodeKind::Part)
          Result.insert(Before.load(Place));
        else
          Result.insert(Place);
      }
      return Result;
    }
    case NodeKind::Return:
      return Context.Nodes.temporary(Site);
    case NodeKind::Heap:
      return Context.Nodes.heap(Site);
    case NodeKind::Created:
      return fresh(Inner);
    case NodeKind::Opaque:
      return Context.Nodes.opaque(Site);
    case NodeKind::Reference:
    case NodeKind::Temporary:
      return {};
    }
    return {};
  }

  NodeSet fresh(const Node *Inner) {
    const Node *Mine = Context.Nodes.created(Site, Callee.Recursive ? Created : Created++);
    if (const Node *Base = Callee.Nodes->baseOf(Inner))
      if (const Node *MyBase = of(Base).single())
        Context.Nodes.recordView(MyBase, Mine);
    if (const Birth *How = Callee.Nodes->birthOf(Inner)) {
      Birth Copy = *How;
      Copy.Through = Site;
      if (Copy.From) {
        NodeSet From = of(Copy.From);
        Copy.From = From.empty() ? nullptr : *From.begin();
      }
      Context.Nodes.recordBirth(Mine, Copy);
    } else if (Before.inScope()) {
      Birth How = birthInScope(static_cast<const Stmt *>(Inner->Key), Before);
      if (How.Kind == BirthKind::Scope && !How.Scope)
        How.Kind = BirthKind::CallerScope;
      How.Through = Site;
      Context.Nodes.recordBirth(Mine, How);
    }
    return Mine;
  }

  FunctionContext &Context;
  const State &Before;
  const Expr *Site;
  const Summary &Callee;
  const CallArguments &Arguments;
  std::map<const Node *, NodeSet, NodeOrder> Known;
  unsigned Created = 1;
};

namespace {

/// Created somewhere below, where the caller's scope decides.
StateSet underScope(StateSet Bits, const State &Caller) {
  if (!Caller.inScope() || !(Bits & (Ambient | Uninitialized)))
    return Bits;
  return (Bits & ~(Ambient | Uninitialized)) | Caller.creationBits();
}

} // namespace

llvm::SmallVector<const FunctionDecl *, 2> Transfer::targetsOf(const Expr *E,
                                                               const FunctionDecl &Callee) const {
  llvm::SmallVector<const FunctionDecl *, 2> Result;
  const auto *Method = dyn_cast<CXXMethodDecl>(&Callee);
  bool Virtual =
      Method && Method->isVirtual() && !isa<CXXConstructorDecl, CXXDestructorDecl>(Method);
  if (const auto *Call = dyn_cast<CXXMemberCallExpr>(E); Call && Virtual) {
    const auto *Member = dyn_cast<MemberExpr>(Call->getCallee()->IgnoreParens());
    const Expr *Object = stripped(Call->getImplicitObjectArgument());
    const auto *Variable = dyn_cast<DeclRefExpr>(Object);
    bool Exact = (Member && Member->hasQualifier()) ||
                 (Variable && !Variable->getType()->isPointerType() &&
                  !cast<ValueDecl>(Variable->getDecl())->getType()->isReferenceType());
    Virtual = !Exact && !Method->hasAttr<FinalAttr>() && !Method->getParent()->hasAttr<FinalAttr>();
  } else {
    Virtual = false;
  }
  if (Callee.hasBody())
    Result.push_back(&Callee);
  if (!Virtual)
    return Result;
  auto Found = Context.Summaries.Overriders.find(Method->getCanonicalDecl());
  if (Found != Context.Summaries.Overriders.end())
    Result.append(Found->second.begin(), Found->second.end());
  return Result;
}

bool Transfer::knownCall(const Expr *E, const FunctionDecl *Callee, const CallArguments &Arguments,
                         State &S, bool MayPart) {
  const Contract *Promise = Context.Contracts.contractOf(*Callee);
  if (Promise)
    applyContract(E, *Promise, Arguments, /*Before=*/true, S);

  llvm::SmallVector<const Summary *, 2> Known;
  llvm::SmallVector<const FunctionDecl *, 2> Targets = targetsOf(E, *Callee);
  for (const FunctionDecl *Target : Targets)
    if (const Summary *Found = Context.Summaries.find(*Target);
        Found && Found->Status != Summary::Kind::Opaque)
      Known.push_back(Found);
  bool Complete = !Targets.empty() && Known.size() == Targets.size();
  if (!Complete && !Promise)
    return false;
  if (Complete) {
    llvm::erase_if(Known, [](const Summary *One) { return One->Status == Summary::Kind::Bottom; });
    std::vector<std::pair<State, std::optional<bool>>> Paths;
    for (const Summary *One : Known) {
      checkRequirements(E, *One, Arguments, Known.size() == 1, S);
      Context.CallsUnknown |= One->CallsUnknown;
      for (const Summary::Exit &Way : One->Exits) {
        State After = S;
        if (!applyExit(E, *One, Way, Arguments, After))
          continue;
        if (const auto *Call = dyn_cast<CallExpr>(E); Call && One->CallsUnknown)
          havocGlobals(Call, Callee, After);
        Paths.push_back({std::move(After), Way.Returns});
      }
    }
    afterCall(E, std::move(Paths), MayPart && !Promise, S);
    if (Dead)
      return true;
  } else {
    if (const auto *Call = dyn_cast<CallExpr>(E))
      havocGlobals(Call, Callee, S);
    unknownCall(E, Callee, Arguments.Arguments, S);
  }
  if (Promise)
    applyContract(E, *Promise, Arguments, /*Before=*/false, S);
  return true;
}

void Transfer::afterCall(const Expr *E, std::vector<std::pair<State, std::optional<bool>>> Paths,
                         bool MayPart, State &S) {
  if (Paths.empty()) {
    Dead = true;
    return;
  }
  // What one path let go of must not mix with what another still holds.
  if (Paths.size() > 1)
    for (auto &[Path, Returned] : Paths)
      Path.collectGarbage(/*KeepTemporaries=*/true);
  bool Parts =
      MayPart && llvm::any_of(Paths, [&](const auto &Path) { return Path.second.has_value(); });
  std::vector<State> Joined;
  for (std::optional<bool> Answer :
       {std::optional<bool>(), std::optional(true), std::optional(false)}) {
    std::optional<State> Together;
    for (auto &[Path, Returned] : Paths) {
      if (Parts && Returned != Answer)
        continue;
      if (Together)
        Together->join(Path);
      else
        Together = std::move(Path);
    }
    if (!Together)
      continue;
    if (Parts && Answer)
      Together->Facts.set(callFact(Context.Nodes, E), *Answer);
    Joined.push_back(std::move(*Together));
    if (!Parts)
      break;
  }
  part(std::move(Joined), S);
}

bool Transfer::isPossible(const ParameterValues &Wanted, const CallArguments &Arguments,
                          const State &S) const {
  return llvm::all_of(Wanted, [&](auto Condition) {
    auto [Index, Value] = Condition;
    if (Index >= Arguments.Arguments.size())
      return true;
    const Expr *Arg = Arguments.Arguments[Index];
    bool Constant;
    if (!Arg->isValueDependent() && Arg->EvaluateAsBooleanCondition(Constant, Context.AST))
      return Constant == Value;
    std::optional<analysis::Condition> Known = Facts.find(Arg);
    if (!Known)
      return true;
    std::optional<bool> Holds = S.Facts.find(Known->Fact);
    return !Holds || (*Holds != Known->Negated) == Value;
  });
}

const Node *Transfer::madeMark(const VarDecl &Static) const {
  return Context.Nodes.element(Context.Nodes.variable(&Static), Node::AnyElement);
}

bool Transfer::wasMade(const VarDecl &Static, const State &S) const {
  const Node *Mark = madeMark(Static);
  return S.holds(Mark) && !S.load(Mark).contains(Context.Nodes.defaultContent(Mark));
}

void Transfer::checkRequirements(const Expr *E, const Summary &Callee,
                                 const CallArguments &Arguments, bool Certain, State &S) {
  if (Callee.Requires.empty())
    return;
  const State Before = S;
  Translation Translate(Context, Before, E, Callee, Arguments);
  for (const Requirement &Needed : Callee.Requires) {
    if (Needed.Path.size() >= MaxPath || !isPossible(Needed.When, Arguments, Before) ||
        (Needed.Static && wasMade(*Needed.Static, Before)) || (Needed.NeedsNoScope && S.inScope()))
      continue;
    // Under a scope, what a constructor computes and writes is recorded, and done when the weights
    // are there.
    if (S.inScope() &&
        (Needed.Violates == Rule::MetaMixed || Needed.Violates == Rule::MetaWriteLost))
      continue;
    Use What{.Violates = Needed.Violates,
             .Site = E,
             .Subject = Needed.Subject ? Translate.spelled(Needed.Subject) : nullptr,
             .Operation = Needed.Operation,
             .Bad = Needed.Bad,
             .Certain = Certain && Needed.Certain,
             .Issue = Needed.Issue,
             .Static = Needed.Static,
             .Through = &Needed};
    if (Needed.AboutScope) {
      dependOnScope(What, S);
    } else if (Needed.SubjectIsEmpty) {
      What.Always = true;
    } else if (Needed.Subject) {
      What.Objects = Translate.objectsOf(Needed.Subject);
    }
    if (Needed.Static)
      S.place(madeMark(*Needed.Static), Context.Nodes.opaque(E));
    if (Needed.Companion)
      What.Companions = Translate.objectsOf(Needed.Companion);
    if (Needed.WholeModule)
      What.Objects = missingIn(What.Objects, S);
    needsData(std::move(What), S);
  }
}

bool Transfer::applyExit(const Expr *E, const Summary &Callee, const Summary::Exit &Way,
                         const CallArguments &Arguments, State &S) {
  if (!isPossible(Way.When, Arguments, S))
    return false;
  const State Before = S;
  Translation Translate(Context, Before, E, Callee, Arguments);
  const State &Exit = Way.After;

  // What becomes of the objects that were there before, what contains others first.
  llvm::SmallPtrSet<const Node *, 4> Fresh;
  for (const auto &[Inner, After] : Exit.objects()) {
    if (Inner->Kind == NodeKind::Created) {
      const Node *Mine = Translate.of(Inner).single();
      StateSet Bits = derivedBits(Inner, After.Bits, Callee, Translate, S);
      if (!Fresh.insert(Mine).second)
        Bits |= S.stateOf(Mine).Bits;
      S.setState(Mine, Bits, After.Replayable);
      continue;
    }
    if (!Inner->belongsToCaller() || !Translate.isVisible(Inner))
      continue;
    NodeSet Mine = Translate.objectsOf(Inner);
    if (After.Before) {
      // The callee only asked. What it learned holds for the caller too, and may rule this way out.
      const Node *Object = Mine.single();
      if (!Object || !Object->isObject())
        continue;
      StateSet Old = S.stateOf(Object).Bits;
      StateSet Narrowed = Guards::narrowed(Old, After.Bits & Assumed);
      if (Old && !Narrowed)
        return false;
      if (Narrowed != Old)
        S.refine(Object, Narrowed);
      continue;
    }
    for (const Node *Object : Mine) {
      if (!Object->isObject())
        continue;
      if (After.Written != MemoryWrite::None)
        S.markWritten(Object, Mine.single() ? After.Written : MemoryWrite::Part);
      StateSet Own = After.Bits & ~(AtEntry | Assumed);
      // A constructor that leaves its object as it was built.
      if (!Own || (Own == Ambient && Inner->root()->Kind == NodeKind::This))
        continue;
      StateSet Old = S.stateOf(Object).Bits, New = underScope(Own, S);
      if ((After.Bits & AtEntry) || !Mine.single())
        New |= Old;
      if (New == Old)
        continue;
      if (Callee.Nodes->fillingOf(Inner) && (New & DataBits))
        Context.Nodes.recordFilling(Object, E);
      if (Callee.Nodes->placementOf(Inner) && (New & Placed))
        Context.Nodes.recordPlacement(Object, E);
      if (const Birth *How = Callee.Nodes->birthOf(Inner); How && (New & EmptyBits)) {
        Birth Copy = *How;
        Copy.Through = E;
        Copy.From = nullptr;
        Context.Nodes.recordBirth(Object, Copy);
      }
      S.setState(Object, New);
    }
  }

  // What the places of the caller hold now.
  std::vector<std::pair<NodeSet, NodeSet>> Writes;
  for (const auto &[Place, Values] : Exit.contents()) {
    if (Place->Kind == NodeKind::Reference || !Translate.isVisible(Place))
      continue;
    NodeSet Mine = Translate.of(Place), New = Translate.of(Values);
    if (!Mine.empty() && !New.empty())
      Writes.push_back({std::move(Mine), std::move(New)});
  }
  for (auto &[Places, Values] : Writes)
    for (const Node *Mine : Places) {
      if (Mine->isObject())
        continue;
      // Storing by an unknown number is how a loop fills a container.
      if (Mine->Kind == NodeKind::Element && Mine->Index == Node::AnyElement)
        S.eraseElements(Mine->Base);
      if (!Places.single())
        Values.insert(S.load(Mine));
      S.place(Mine, Values);
    }
  for (const auto &[Module, Registered] : Exit.registeredParts())
    if (Translate.isVisible(Module))
      for (const Node *Mine : Translate.objectsOf(Module))
        S.registerPart(Mine, Translate.of(Registered));
  for (const auto &[Place, Kind] : Exit.devices())
    if (Translate.isVisible(Place))
      if (const Node *Mine = Translate.of(Place).single())
        S.setDevice(Mine, Kind);
  for (const Node *Scope : Exit.endedScopes())
    for (const Node *Mine : Translate.of(Scope))
      S.leaveScope(Mine);
  for (const Node *Scope : Exit.openScopes())
    if (Translate.isVisible(Scope))
      if (const Node *Mine = Translate.of(Scope).single())
        S.enterScope(Mine);
  if (isa<CallExpr>(E) && Context.Types.isHandle(E->getType()) &&
      !S.holds(Context.Nodes.temporary(E)))
    result(E, Context.Nodes.opaque(E), S);
  return true;
}

StateSet Transfer::derivedBits(const Node *Inner, StateSet Bits, const Summary &Callee,
                               Translation &Translate, const State &S) const {
  // Computed from something of the caller's: as empty as that is.
  if (Bits & AtEntry) {
    const Birth *How = Callee.Nodes->birthOf(Inner);
    StateSet Source =
        How && How->From ? S.joinOf(Translate.objectsOf(How->From)).Bits : StateSet(Unknown);
    if (Source & Uninitialized)
      Source = Unknown;
    if (Source & Placed)
      Source = (Source & ~Placed) | Materialized;
    Bits = (Bits & ~AtEntry) | (Source ? Source : StateSet(Unknown));
  }
  return underScope(Bits, S);
}

void Transfer::applyContract(const Expr *E, const Contract &Promise, const CallArguments &Arguments,
                             bool Before, State &S) {
  auto Argument = [&](int Index) -> const Expr * {
    if (Index == Contract::This)
      return Arguments.Object;
    return static_cast<std::size_t>(Index) < Arguments.Arguments.size() ? Arguments.Arguments[Index]
                                                                        : nullptr;
  };
  auto Each = [&](llvm::ArrayRef<int> Indexes, auto Act) {
    for (int Index : Indexes)
      if (const Expr *Arg = Argument(Index))
        Act(Arg);
  };
  if (Before) {
    Each(Promise.Requires,
         [&](const Expr *Arg) { needsAllOf(Rule::MetaDataDependent, E, Arg, S); });
    Each(Promise.Dispatches,
         [&](const Expr *Arg) { needsAllOf(Rule::DispatchWithoutWeights, E, Arg, S); });
    return;
  }
  auto Become = [&](StateSet Bits) {
    return [&, Bits](const Expr *Arg) {
      for (const Node *Object : Evaluator(Context, S).objects(Arg)) {
        if (!Object->isObject())
          continue;
        if (Bits != Declared) {
          fill(Object, E, Bits, S);
          continue;
        }
        Context.Nodes.recordBirth(Object, {BirthKind::Promised, E});
        S.setState(Object, Declared);
      }
    };
  };
  Each(Promise.Materializes, Become(Materialized));
  Each(Promise.Dispatches, Become(Placed));
  Each(Promise.LeavesMeta, Become(Declared));
  if (!Context.Types.isHandle(E->getType()))
    return;
  switch (Promise.Returns) {
  case Contract::Result::Unstated:
    return;
  case Contract::Result::Meta:
    return createdResult(E, Declared, {BirthKind::Promised, E}, S);
  case Contract::Result::Materialized:
    return createdResult(E, Materialized, {}, S);
  case Contract::Result::Uninitialized:
    return createdResult(E, Uninitialized, {BirthKind::Uninitialized, E}, S);
  case Contract::Result::Argument:
    if (const Expr *Arg = Argument(Promise.ReturnedArgument))
      result(E, Evaluator(Context, S).objects(Arg), S);
    return;
  }
}

void Transfer::constructWithSummary(const Expr *E, const CXXRecordDecl *Class, const Node *Self,
                                    llvm::ArrayRef<const Expr *> Arguments, State &S) {
  // A holder and std::make_shared forward their arguments: the number tells which constructor.
  const CXXConstructorDecl *Chosen = nullptr;
  if (Class && Class->hasDefinition())
    for (const CXXConstructorDecl *Candidate : Class->getDefinition()->ctors()) {
      if (Candidate->isCopyOrMoveConstructor() || Candidate->isDeleted() ||
          Arguments.size() < Candidate->getMinRequiredArguments() ||
          Arguments.size() > Candidate->getNumParams())
        continue;
      if (Chosen)
        return;
      Chosen = Candidate;
    }
  if (Chosen)
    knownCall(E, Chosen, {nullptr, NodeSet(Self), Arguments}, S);
}

} // namespace metasan::analysis
