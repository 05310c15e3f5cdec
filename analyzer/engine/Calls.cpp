// The part of Transfer that knows what the calls of LibTorch and MetaSan do.
#include "engine/Transfer.h"

using namespace clang;

namespace metasan::analysis {
namespace {

const Expr *objectOf(const CallExpr *E) {
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(E))
    return Member->getImplicitObjectArgument();
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E);
      Operator && isa_and_nonnull<CXXMethodDecl>(Operator->getDirectCallee()) &&
      Operator->getNumArgs())
    return Operator->getArg(0);
  return nullptr;
}

} // namespace

void Transfer::call(const CallExpr *E, State &S) {
  const FunctionDecl *Callee = E->getDirectCallee();
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E))
    if (lambdaCall(Operator, S))
      return;
  Call Resolved = Context.Api.resolve(Callee);
  if (!llvm::is_contained({Owner::Tensor, Owner::Aten, Owner::Options, Owner::Device},
                          Resolved.Where))
    havocGlobals(E, Callee, S);
  switch (Resolved.Where) {
  case Owner::Options:
  case Owner::Device:
    return;
  case Owner::Tensor:
  case Owner::Aten:
    return tensorCall(E, Resolved.What, S);
  case Owner::Module:
    return moduleCall(E, Resolved.What, S);
  case Owner::MetaSan:
    switch (Resolved.What) {
    case Effect::Load:
      return loadInto(E, E->getArg(0), S);
    case Effect::Dispatch:
      return needsData(Rule::DispatchWithoutWeights, E, E->getArg(0), S);
    case Effect::BuildEmpty:
      return buildEmpty(E, S);
    default:
      return;
    }
  case Owner::Std:
    return standardCall(E, Resolved.What, S);
  case Owner::User:
    if (const auto *Member = dyn_cast<CXXMemberCallExpr>(E))
      if (memberOfStandardType(Member, S))
        return;
    unknownCall(E, Callee, argumentsOf(E), S);
  }
}

//===- Tensors -----------------------------------------------------------------===//

void Transfer::tensorCall(const CallExpr *E, Effect What, State &S) {
  Evaluator Eval(Context, S);
  const Expr *Object = objectOf(E);
  llvm::SmallVector<const Expr *, 4> Tensors;
  if (Object)
    Tensors.push_back(Object);
  const Expr *DeviceArg = nullptr;
  for (const Expr *Arg : argumentsOf(E)) {
    switch (Context.Types.classify(Arg->getType())) {
    case TypeClass::Tensor:
      Tensors.push_back(Arg);
      break;
    case TypeClass::Device:
      if (!DeviceArg || Eval.device(DeviceArg) == DeviceKind::Unset)
        DeviceArg = Arg;
      break;
    default:
      break;
    }
  }

  switch (What) {
  case Effect::ReadsValues:
    for (const Expr *Tensor : Tensors)
      needsData(Rule::MetaDataDependent, E, Tensor, S);
    return;
  case Effect::CopyOut:
    return copyOut(E, S);
  case Effect::CopyFromArgument:
    // Into a meta tensor nothing is copied; into an unknown one, nobody can say.
    if (Object && E->getNumArgs() && Eval.objects(Object).single() &&
        S.joinOf(Eval.objects(Object)).Bits == Materialized)
      needsData(Rule::MetaCopyOut, E, E->getArg(0), S);
    return result(E, Eval.objects(Object), S);
  case Effect::SetData:
    if (Object && E->getNumArgs() && Context.Types.isTensor(E->getArg(0)->getType())) {
      std::uint8_t New = S.joinOf(Eval.objects(E->getArg(0))).Bits;
      NodeSet Objects = Eval.objects(Object);
      for (const Node *Changed : Objects)
        S.setState(Changed, New);
    }
    return;
  case Effect::Load: {
    if (E->getNumArgs())
      loadInto(E, E->getArg(0), S);
    return;
  }
  default:
    break;
  }

  if (!Context.Types.isTensor(E->getType()) || E->getType()->isPointerType()) {
    if (Context.Types.classify(E->getType()) == TypeClass::Other)
      return;
    return result(E, Context.Nodes.opaque(E), S);
  }
  // In-place operators return the object they changed, whose state stays.
  if (Object && E->isGLValue())
    return result(E, Eval.objects(Object), S);

  DeviceKind Device = DeviceArg ? Eval.device(DeviceArg) : DeviceKind::Unset;
  if (Device == DeviceKind::Meta)
    return createdResult(E, Declared, {BirthKind::MetaDevice, E, nullptr, nullptr}, S);
  if (What == Effect::MakesReal)
    return createdResult(E, Materialized, {}, S);
  if (Tensors.empty() && S.inScope())
    return createdResult(E, S.creationBits(), birthInScope(E, S), S);
  if (Device == DeviceKind::Real)
    return createdResult(E, Materialized, {}, S);
  if (Device != DeviceKind::Unset)
    return result(E, Context.Nodes.opaque(E), S);
  if (Tensors.empty())
    return createdResult(E, Materialized, {}, S);
  operatorResult(E, Tensors, S);
}

void Transfer::operatorResult(const CallExpr *E, llvm::ArrayRef<const Expr *> Operands, State &S) {
  Evaluator Eval(Context, S);
  NodeSet All;
  for (const Expr *Operand : Operands)
    All.insert(Eval.objects(Operand));
  std::uint8_t Bits = S.joinOf(All).Bits;
  // Several operands in different states: whether the call is right at all is another rule's
  // question.
  bool Mixed = Operands.size() > 1 && (Bits & EmptyBits) && (Bits & ~EmptyBits);
  if (Mixed || (Bits & Unknown))
    return result(E, Context.Nodes.opaque(E), S);
  const Node *First = nullptr;
  for (const Node *Object : All)
    if (!First && Object->isObject() && (S.stateOf(Object).Bits & EmptyBits))
      First = Object;
  createdResult(E, Bits, {BirthKind::FromEmpty, E, nullptr, First}, S);
}

void Transfer::copyOut(const CallExpr *E, State &S) {
  Evaluator Eval(Context, S);
  const Expr *Object = objectOf(E);
  if (!Object)
    return operatorResult(E, {E->getArgs(), E->getNumArgs()}, S);
  DeviceKind Target = DeviceKind::Unset;
  if (E->getDirectCallee()->getName() != "to")
    Target = DeviceKind::Real; // cpu(), cuda()
  for (const Expr *Arg : E->arguments()) {
    TypeClass Class = Context.Types.classify(Arg->getType());
    if (Class == TypeClass::Device && Target == DeviceKind::Unset) {
      Target = Eval.device(Arg);
    } else if (Class == TypeClass::Tensor) {
      std::uint8_t Bits = S.joinOf(Eval.objects(Arg)).Bits;
      Target = Bits == Materialized           ? DeviceKind::Real
               : Bits && !(Bits & ~EmptyBits) ? DeviceKind::Meta
                                              : DeviceKind::OfTensor;
    }
  }
  switch (Target) {
  case DeviceKind::Unset:
    return operatorResult(E, {Object}, S);
  case DeviceKind::Meta:
    return createdResult(E, Declared, {BirthKind::MovedToMeta, E, nullptr, nullptr}, S);
  case DeviceKind::OfTensor:
    return result(E, Context.Nodes.opaque(E), S);
  case DeviceKind::Real:
  case DeviceKind::Unknown:
    needsData(Rule::MetaCopyOut, E, Object, S);
    return createdResult(E, Target == DeviceKind::Real ? Materialized : Unknown, {}, S);
  }
}

//===- Modules -----------------------------------------------------------------===//

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
    if (Target != DeviceKind::Unset && Target != DeviceKind::Meta)
      needsData(Rule::MetaCopyOut, E, Object, S);
    return;
  }
  case Effect::ModuleTensors:
    return PartsResult(0);
  case Effect::Submodules:
    return PartsResult(1);
  case Effect::CloneModule: {
    std::uint8_t Bits = S.joinOf(Modules).Bits;
    const Node *From = Modules.single();
    return createdResult(E, Bits, {BirthKind::FromEmpty, E, nullptr, From}, S);
  }
  case Effect::RegisterPart:
    for (const Expr *Arg : E->arguments())
      if (Context.Types.isHandle(Arg->getType()))
        return result(E, Eval.objects(Arg), S);
    return result(E, Context.Nodes.opaque(E), S);
  case Effect::Forward: {
    std::uint8_t Bits = S.joinOf(Modules).Bits;
    if (Context.Types.isTensor(E->getType()) && Bits && !(Bits & ~EmptyBits))
      return createdResult(E, Declared, {BirthKind::FromEmpty, E, nullptr, Modules.single()}, S);
    return result(E, Context.Nodes.opaque(E), S);
  }
  case Effect::ChangesUnknown:
    for (const Node *Module : Modules)
      S.setState(Module, Unknown);
    return;
  default:
    if (Context.Types.isHandle(E->getType()))
      result(E, Context.Nodes.opaque(E), S);
  }
}

void Transfer::loadInto(const Expr *E, const Expr *Target, State &S) {
  Evaluator Eval(Context, S);
  if (Context.Types.classify(Target->getType()) == TypeClass::Container) {
    for (const Node *Place : Eval.places(Target))
      S.havocWithin(Place, E);
    return;
  }
  NodeSet Objects = Eval.objects(Target);
  for (const Node *Object : Objects) {
    if (!Object->isObject())
      continue;
    Context.Nodes.recordFilling(Object, E);
    // Of several objects one call fills one; but that is what a loop over all of them looks like.
    S.setState(Object, Materialized);
  }
}

void Transfer::buildEmpty(const CallExpr *E, State &S) {
  const Node *Scope = Context.Nodes.temporary(E);
  NodeSet Built;
  if (E->getNumArgs()) {
    const CXXRecordDecl *Builder = recordOf(E->getArg(0)->getType());
    if (Builder && Builder->isLambda()) {
      const CXXMethodDecl *Operator = Builder->getLambdaCallOperator();
      S.enterScope(Scope);
      if (Lambdas.inlineCall(*Operator, S)) {
        const Node *Slot = Context.Nodes.returnValue(Operator->getBody());
        if (S.holds(Slot))
          Built = S.load(Slot);
        S.erase(Slot);
      }
      S.leaveScope(Scope);
    }
  }
  if (const Node *Only = Built.single(); Only && (S.stateOf(Only).Bits & EmptyBits))
    return result(E, Built, S);
  createdResult(E, Declared, {BirthKind::BuildEmpty, E, nullptr, nullptr}, S);
}

} // namespace metasan::analysis
