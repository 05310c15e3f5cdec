// The part of Transfer that knows what LibTorch and MetaSan do to modules: moves, loads,
// dispatches, forwards, and the empty-weights scope.
#include "engine/Transfer.h"

using namespace clang;

namespace metasan::analysis {

void Transfer::moduleCall(const CallExpr *E, Effect What, State &S) {
  Evaluator Eval(Context, S);
  const Expr *Object = objectOf(E);
  if (!Object)
    return;
  NodeSet Modules = Eval.objects(Object);
  auto PartsResult = [&](std::uint64_t Which) {
    NodeSet Parts;
    for (const Node *Module : Modules)
      if (Module->isObject())
        Parts.insert(Context.Nodes.part(Module, Which));
    S.store(Context.Nodes.element(Context.Nodes.temporary(E), Node::AnyElement), Parts);
  };
  switch (What) {
  case Effect::MoveModule: {
    DeviceKind Target = DeviceKind::Unset;
    for (const Expr *Arg : E->arguments())
      if (Context.Types.classify(Arg->getType()) == TypeClass::Device)
        Target = Eval.device(Arg);
    if (Target == DeviceKind::Unset || Target == DeviceKind::Meta)
      return;
    needsAllOf(Rule::MetaCopyOut, E, Object, S);
    return needsData({.Violates = Rule::MoveAfterDispatch,
                      .Site = E,
                      .Subject = Object,
                      .Objects = Modules,
                      .Bad = Placed},
                     S);
  }
  case Effect::ModuleTensors:
    return PartsResult(0);
  case Effect::Submodules:
    return PartsResult(1);
  case Effect::CloneModule: {
    StateSet Bits = S.joinOf(Modules).Bits;
    const Node *From = Modules.single();
    return createdResult(E, Bits, {BirthKind::FromEmpty, E, nullptr, From}, S);
  }
  case Effect::RegisterPart:
    return registerPart(E, Modules, S);
  case Effect::Forward:
    return forwardCall(E, Object, S);
  case Effect::Save:
    return needsAllOf(Rule::MetaSaved, E, Object, S);
  case Effect::ChangesUnknown:
    for (const Node *Module : Modules)
      S.setState(Module, Unknown);
    return;
  default:
    // A method of the user's that overrides one of LibTorch's.
    if (E->getDirectCallee() && E->getDirectCallee()->hasBody() &&
        knownCall(E, E->getDirectCallee(), {Object, std::nullopt, argumentsOf(E)}, S))
      return;
    if (Context.Types.isHandle(E->getType()))
      result(E, Context.Nodes.opaque(E), S);
  }
}

void Transfer::registerPart(const CallExpr *E, const NodeSet &Modules, State &S) {
  const FunctionDecl *Callee = E->getDirectCallee();
  for (const Expr *Arg : E->arguments()) {
    if (!Context.Types.isHandle(Arg->getType()))
      continue;
    NodeSet Parts = Evaluator(Context, S).objects(Arg);
    for (const Node *Module : Modules)
      if (Module->isObject())
        S.registerPart(Module, Parts);
    // A parameter is what training changes: its values follow from nothing.
    if (Callee && Callee->getIdentifier() && Callee->getName() == "register_parameter")
      for (const Node *Part : Parts)
        if (Part->isObject())
          S.markRandom(Part);
    return result(E, Parts, S);
  }
  result(E, Context.Nodes.opaque(E), S);
}

void Transfer::forwardCall(const CallExpr *E, const Expr *Object, State &S) {
  Evaluator Eval(Context, S);
  NodeSet Modules = Eval.objects(Object);
  llvm::SmallVector<Operand, 4> Operands{{Object, Modules}};
  for (const Expr *Arg : argumentsOf(E))
    if (Context.Types.isTensor(Arg->getType()))
      Operands.push_back({Arg, Eval.objects(Arg)});
  if (const FunctionDecl *Body = Context.Api.forwardOf(E))
    if (Body->getNumParams() >= argumentsOf(E).size() &&
        knownCall(E, Body, {Object, Modules, argumentsOf(E)}, S))
      return;
  mustNotMix(E, Operands, /*InPlace=*/false, S);
  mustBeWritten(E, Operands.front(), S);
  ObjectState State = S.joinOf(Modules);
  if (Context.Types.isTensor(E->getType()) && isEmpty(State.Bits) &&
      llvm::all_of(llvm::drop_begin(Operands), [&](const Operand &Input) {
        return !(S.joinOf(Input.Objects).Bits & DataBits);
      }))
    return createdResult(E, Declared, {BirthKind::FromEmpty, E, nullptr, Modules.single()}, S);
  result(E, Context.Nodes.opaque(E), S);
}

//===- MetaSan ---------------------------------------------------------------------===//

void Transfer::metaSanCall(const CallExpr *E, Effect What, State &S) {
  if (What == Effect::BuildEmpty)
    return buildEmpty(E, S);
  if (What == Effect::Default && E->getDirectCallee()) {
    knownCall(E, E->getDirectCallee(), {objectOf(E), std::nullopt, argumentsOf(E)}, S);
    return;
  }
  if (!E->getNumArgs())
    return;
  const Expr *Subject = E->getArg(0);
  switch (What) {
  case Effect::Load:
    return loadInto(E, Subject, Materialized, S);
  case Effect::LoadAndDispatch:
    return loadInto(E, Subject, Placed, S);
  case Effect::Dispatch:
    return dispatch(E, S);
  case Effect::Allocate:
    for (const Node *Object : Evaluator(Context, S).objects(Subject))
      if (Object->isObject() && (S.stateOf(Object).Bits & (EmptyBits | OpenBits))) {
        bool Sure = isEmpty(S.stateOf(Object).Bits);
        S.setState(Object, Sure ? Uninitialized : Unknown);
        if (Sure)
          Context.Nodes.recordAllocation(Object, E);
      }
    return;
  default:
    return;
  }
}

void Transfer::dispatch(const CallExpr *E, State &S) {
  const Expr *Subject = E->getArg(0);
  needsAllOf(Rule::DispatchWithoutWeights, E, Subject, S);
  for (const Node *Object : Evaluator(Context, S).objects(Subject)) {
    if (!Object->isObject())
      continue;
    StateSet Bits = S.stateOf(Object).Bits;
    if (!isEmpty(Bits)) {
      recordPlacement(Object, E, S);
      S.setState(Object, (Bits & Declared) | Placed);
    }
  }
}

void Transfer::loadInto(const Expr *E, const Expr *Target, StateSet After, State &S) {
  Evaluator Eval(Context, S);
  TypeClass Class = Context.Types.classify(Target->getType());
  if (Class == TypeClass::Module)
    scopeIssue(ScopeIssue::Load, E, Target, nullptr, S);
  if (Class == TypeClass::Container) {
    for (const Node *Place : Eval.places(Target))
      S.havocWithin(Place, E);
    return;
  }
  for (const Node *Object : Eval.objects(Target)) {
    // Of several objects one call fills one; but that is what a loop over all of them looks like.
    if (Object->isObject())
      fill(Object, E, After, S);
  }
}

void Transfer::fill(const Node *Object, const Expr *Site, StateSet After, State &S) {
  Context.Nodes.recordFilling(Object, Site);
  if (After == Placed)
    recordPlacement(Object, Site, S);
  viewsFollow(Object, S);
  S.setState(Object, After);
}

void Transfer::recordPlacement(const Node *Module, const Expr *Site, const State &S) {
  Context.Nodes.recordPlacement(Module, Site);
  for (const Node *Part : S.partsOf(Module))
    Context.Nodes.recordPlacement(Part, Site);
}

void Transfer::viewsFollow(const Node *Object, State &S) {
  // When MetaSan fills the memory, that is; nobody says so of others.
  NodeSet Views = Context.Nodes.viewsOf(Object);
  for (const Node *Part : S.partsOf(Object))
    Views.insert(Context.Nodes.viewsOf(Part));
  for (const Node *View : Views) {
    if (S.stateOf(View).Bits & EmptyBits)
      S.setState(View, Unknown);
    if (!View->isWithin(Object))
      viewsFollow(View, S);
  }
}

void Transfer::scopeIssue(ScopeIssue Issue, const Expr *Site, const Expr *Subject,
                          const VarDecl *Static, State &S) {
  Use What{.Violates = Rule::ScopeMisuse,
           .Site = Site,
           .Subject = Subject,
           .Operation = Static ? Static->getNameAsString() : "",
           .Issue = Issue,
           .Static = Static};
  dependOnScope(What, S);
  needsData(std::move(What), S);
}

void Transfer::dependOnScope(Use &What, const State &S) {
  What.Always = S.inScope();
  What.Bad = S.inScope() ? EmptyBits : Ambient;
  What.Certain &= !S.inScope() || !S.openScopes().empty();
}

void Transfer::buildEmpty(const CallExpr *E, State &S) {
  const Node *Scope = Context.Nodes.temporary(E);
  const CXXRecordDecl *Builder = E->getNumArgs() ? recordOf(E->getArg(0)->getType()) : nullptr;
  std::optional<std::vector<State>> After;
  const Node *Slot = nullptr;
  if (Builder && Builder->isLambda()) {
    const CXXMethodDecl *Operator = Builder->getLambdaCallOperator();
    Slot = Context.Nodes.returnValue(Operator->getBody());
    State Inside = S;
    Inside.enterScope(Scope);
    After = Lambdas.inlineCall(*Operator, Inside);
  }
  if (!After)
    return createdResult(E, Declared, {BirthKind::BuildEmpty, E}, S);
  for (State &Path : *After) {
    NodeSet Built = Path.holds(Slot) ? Path.load(Slot) : NodeSet();
    Path.erase(Slot);
    Path.leaveScope(Scope);
    if (const Node *Only = Built.single(); Only && (Path.stateOf(Only).Bits & EmptyBits))
      result(E, Built, Path);
    else
      createdResult(E, Declared, {BirthKind::BuildEmpty, E}, Path);
  }
  part(std::move(*After), S);
}

} // namespace metasan::analysis
