#include "engine/Evaluator.h"

#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace metasan::analysis {

const Expr *stripped(const Expr *E) {
  while (E) {
    const Expr *Inner = E->IgnoreParens();
    if (const auto *Cleanups = dyn_cast<FullExpr>(Inner))
      Inner = Cleanups->getSubExpr();
    else if (const auto *Bound = dyn_cast<CXXBindTemporaryExpr>(Inner))
      Inner = Bound->getSubExpr();
    else if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(Inner))
      Inner = Default->getExpr();
    else if (const auto *Default = dyn_cast<CXXDefaultArgExpr>(Inner))
      Inner = Default->getExpr();
    else if (const auto *Opaque = dyn_cast<OpaqueValueExpr>(Inner);
             Opaque && Opaque->getSourceExpr())
      Inner = Opaque->getSourceExpr();
    else if (const auto *Cast = dyn_cast<CastExpr>(Inner);
             Cast && Cast->getCastKind() != CK_LValueToRValue)
      Inner = Cast->getSubExpr();
    if (Inner == E)
      break;
    E = Inner;
  }
  return E;
}

NodeSet Evaluator::remembered(const Expr *E) const {
  const Node *Slot = Context.Nodes.temporary(E);
  return S.holds(Slot) ? S.load(Slot) : NodeSet(Context.Nodes.opaque(E));
}

NodeSet Evaluator::places(const Expr *E) const {
  E = stripped(E);
  if (!E)
    return {};
  if (const auto *Cast =
          dyn_cast<ImplicitCastExpr>(E)) // LValueToRValue: what the pointer points to
    return S.load(places(Cast->getSubExpr()));
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    return placesOfVariable(Ref->getDecl(), E);
  if (const auto *Member = dyn_cast<MemberExpr>(E))
    return placesOfMember(Member);
  if (isa<CXXThisExpr>(E))
    return Context.Nodes.self();
  if (const auto *Unary = dyn_cast<UnaryOperator>(E)) {
    switch (Unary->getOpcode()) {
    case UO_Deref:
    case UO_AddrOf:
    case UO_PreInc:
    case UO_PreDec:
      return places(Unary->getSubExpr());
    default:
      return Context.Nodes.opaque(E);
    }
  }
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E))
    return element(places(Subscript->getBase()), Subscript->getIdx());
  if (const auto *Conditional = dyn_cast<AbstractConditionalOperator>(E)) {
    NodeSet Result = places(Conditional->getTrueExpr());
    Result.insert(places(Conditional->getFalseExpr()));
    return Result;
  }
  if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
    if (Binary->isAssignmentOp())
      return places(Binary->getLHS());
    if (Binary->getOpcode() == BO_Comma)
      return places(Binary->getRHS());
    return Context.Nodes.opaque(E);
  }
  if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E)) {
    const Node *Slot = Context.Nodes.temporary(Temporary);
    if (S.holds(Slot))
      return Slot;
    return places(Temporary->getSubExpr());
  }
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E))
    return placesOfOperator(Operator);
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return placesOfCall(Call);
  if (const auto *New = dyn_cast<CXXNewExpr>(E))
    return remembered(New);
  // A record by value is a place of its own, with fields; a handle by value is the object.
  TypeClass Class = Context.Types.classify(E->getType());
  if (isa<LambdaExpr>(E))
    return Context.Nodes.temporary(E);
  if (isa<CXXConstructExpr, InitListExpr>(E) &&
      (Class == TypeClass::Record || Class == TypeClass::Container || E->getType()->isArrayType()))
    return Context.Nodes.temporary(E);
  return remembered(E);
}

NodeSet Evaluator::objects(const Expr *E) const {
  const Expr *Value = stripped(E);
  while (Value) {
    const Expr *Inner = Value;
    if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Value))
      Inner = stripped(Cast->getSubExpr());
    else if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(Value))
      Inner = stripped(Temporary->getSubExpr());
    if (Inner == Value)
      break;
    Value = Inner;
  }
  // Each path knows which side of a conditional it took.
  if (isa_and_nonnull<AbstractConditionalOperator>(Value))
    if (const Node *Taken = Context.Nodes.temporary(Value); S.holds(Taken))
      return S.load(Taken);
  return S.load(places(E));
}

NodeSet Evaluator::elements(const Expr *Container) const {
  NodeSet Result;
  for (const Node *Place : places(Container))
    if (!Place->isObject())
      Result.insert(S.elementsOf(Place));
  return Result;
}

NodeSet Evaluator::placesOfVariable(const ValueDecl *Decl, const Expr *E) const {
  if (const auto *Binding = dyn_cast<BindingDecl>(Decl)) {
    if (const VarDecl *Holder = Binding->getHoldingVar())
      return placesOfVariable(Holder, E);
    return places(Binding->getBinding());
  }
  const auto *Var = dyn_cast<VarDecl>(Decl);
  if (!Var || Context.Escaped.contains(Var->getCanonicalDecl()))
    return Context.Nodes.opaque(E);
  if (Var->getType()->isReferenceType()) {
    const Node *Bound = Context.Nodes.reference(Var);
    if (S.holds(Bound))
      return S.load(Bound);
  }
  return Context.Nodes.variable(Var);
}

NodeSet Evaluator::placesOfMember(const MemberExpr *E) const {
  if (const auto *Static = dyn_cast<VarDecl>(E->getMemberDecl()))
    return placesOfVariable(Static, E);
  const auto *Field = dyn_cast<FieldDecl>(E->getMemberDecl());
  if (!Field)
    return Context.Nodes.opaque(E);
  NodeSet Bases = places(E->getBase());
  // A member of a module belongs to the module object, by whatever handle it is reached.
  if (Context.Types.isModuleClass(E->getBase()->getType()))
    Bases = S.load(Bases);
  NodeSet Result;
  for (const Node *Base : Bases)
    Result.insert(
        isEntryOfMap(Base, Field->getName() == "second") ? Base : Context.Nodes.field(Base, Field));
  return Result;
}

bool Evaluator::isEntryOfMap(const Node *Place, bool Second) const {
  // A map keeps its values as its elements; an entry's second is the value.
  return Second && Place->Kind == NodeKind::Element && S.holds(Place);
}

NodeSet Evaluator::element(const NodeSet &Containers, const Expr *Index) const {
  std::uint64_t Number = Node::AnyElement;
  Expr::EvalResult Value;
  if (Index && !Index->isValueDependent() && Index->getType()->isIntegralOrEnumerationType() &&
      Index->EvaluateAsInt(Value, Context.AST))
    Number = Value.Val.getInt().getZExtValue();
  NodeSet Result;
  for (const Node *Container : Containers)
    Result.insert(Context.Nodes.element(Container, Number));
  return Result;
}

NodeSet Evaluator::placesOfOperator(const CXXOperatorCallExpr *E) const {
  if (E->getNumArgs() == 0)
    return remembered(E);
  const Expr *Object = E->getArg(0);
  TypeClass Class = Context.Types.classify(Object->getType());
  switch (E->getOperator()) {
  case OO_Arrow:
  case OO_Star:
    if (E->getNumArgs() > 1)
      return remembered(E);
    if (Class == TypeClass::Module)
      return objects(Object);
    if (Class == TypeClass::Tensor)
      return places(Object);
    // An iterator: it points to the elements. Any other class: a pointer of the user's own.
    return S.load(places(Object));
  case OO_PlusPlus:
  case OO_MinusMinus:
  case OO_Equal:
    return places(Object);
  case OO_Subscript:
    if (Class == TypeClass::Container || (Class == TypeClass::Module && E->getNumArgs() == 2))
      return element(Class == TypeClass::Module ? objects(Object) : places(Object), E->getArg(1));
    return remembered(E);
  default:
    return remembered(E);
  }
}

NodeSet Evaluator::placesOfCall(const CallExpr *E) const {
  const FunctionDecl *Callee = E->getDirectCallee();
  switch (Context.Api.resolve(Callee).What) {
  case Effect::SameObject:
    if (const auto *Member = dyn_cast<CXXMemberCallExpr>(E))
      return objects(Member->getImplicitObjectArgument());
    if (E->getNumArgs() > 0)
      return places(E->getArg(0));
    break;
  case Effect::GetElement:
    if (E->getNumArgs() > 0 && Callee->getTemplateSpecializationArgs() &&
        Callee->getTemplateSpecializationArgs()->size() > 0) {
      const TemplateArgument &Index = Callee->getTemplateSpecializationArgs()->get(0);
      NodeSet Result;
      if (Index.getKind() == TemplateArgument::Integral)
        for (const Node *Place : places(E->getArg(0)))
          Result.insert(isEntryOfMap(Place, Index.getAsIntegral() == 1)
                            ? Place
                            : Context.Nodes.element(Place, Index.getAsIntegral().getZExtValue()));
      if (!Result.empty())
        return Result;
    }
    break;
  default:
    break;
  }
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(E);
      Member && Callee && Callee->getIdentifier()) {
    static const llvm::StringSet<> Same{"get", "ptr", "value", "shared_from_this", "as", "release"};
    static const llvm::StringSet<> Elements{"at",     "front", "back", "begin", "end",
                                            "cbegin", "cend",  "data", "find"};
    const Expr *Object = Member->getImplicitObjectArgument();
    switch (Context.Types.classify(Object->getType())) {
    case TypeClass::Module:
      if (Same.contains(Callee->getName()))
        return objects(Object);
      break;
    case TypeClass::Tensor:
      if (Same.contains(Callee->getName()))
        return places(Object);
      break;
    case TypeClass::Record:
      if (TypeOracle::pointee(Object->getType()) && Same.contains(Callee->getName()))
        return S.load(places(Object));
      break;
    case TypeClass::Container:
      if (Elements.contains(Callee->getName()))
        return element(places(Object),
                       Callee->getName() == "at" && E->getNumArgs() ? E->getArg(0) : nullptr);
      break;
    default:
      break;
    }
  }
  // A call that returns a container or a record by value: its temporary holds the elements.
  TypeClass Class = Context.Types.classify(E->getType());
  if (E->isPRValue() && !E->getType()->isPointerType() &&
      (Class == TypeClass::Container || Class == TypeClass::Record))
    return Context.Nodes.temporary(E);
  return remembered(E);
}

//===- Devices -----------------------------------------------------------------===//

DeviceKind Evaluator::deviceOfVariable(const VarDecl *Var) const {
  DeviceKind Known = S.deviceAt(Context.Nodes.variable(Var));
  if (Known != DeviceKind::Unknown)
    return Known;
  // A constant is what its initializer says, wherever it is defined.
  if ((Var->getType().isConstQualified() || Var->isConstexpr()) && Var->getAnyInitializer() &&
      !Var->isLocalVarDeclOrParm())
    return device(Var->getAnyInitializer());
  return DeviceKind::Unknown;
}

DeviceKind Evaluator::device(const Expr *E) const {
  if (!E)
    return DeviceKind::Unknown;
  if (isa<CXXDefaultArgExpr>(E->IgnoreParenImpCasts()))
    return DeviceKind::Unset;
  E = stripped(E);
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(E))
    E = stripped(Cast->getSubExpr());
  if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
    return device(Temporary->getSubExpr());

  if (const auto *Enum = E->getType().getNonReferenceType()->getAs<EnumType>();
      Enum && Enum->getDecl()->getName() == "DeviceType" && !E->isValueDependent()) {
    Expr::EvalResult Value;
    if (E->EvaluateAsInt(Value, Context.AST)) {
      for (const EnumConstantDecl *Constant : Enum->getDecl()->enumerators())
        if (Constant->getInitVal().getExtValue() == Value.Val.getInt().getExtValue())
          return Constant->getName() == "Meta" ? DeviceKind::Meta : DeviceKind::Real;
      return DeviceKind::Unknown;
    }
  }
  if (const auto *Text = dyn_cast<clang::StringLiteral>(E)) {
    if (!Text->isOrdinary())
      return DeviceKind::Unknown;
    return Text->getString().split(':').first == "meta" ? DeviceKind::Meta : DeviceKind::Real;
  }
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    if (Ref->getDecl()->getName() == "nullopt")
      return DeviceKind::Unset;
    if (const auto *Var = dyn_cast<VarDecl>(Ref->getDecl())) {
      if (Context.Types.classify(Var->getType()) == TypeClass::Device)
        return deviceOfVariable(Var);
      // dtype, layout, memory format: options made of them have no device
      return Var->getType()->isEnumeralType() ? DeviceKind::Unset : DeviceKind::Unknown;
    }
    return E->getType()->isEnumeralType() ? DeviceKind::Unset : DeviceKind::Unknown;
  }
  if (isa<MemberExpr>(E)) {
    NodeSet Places = places(E);
    return Places.single() ? S.deviceAt(Places.single()) : DeviceKind::Unknown;
  }
  if (const auto *Conditional = dyn_cast<ConditionalOperator>(E)) {
    DeviceKind Left = device(Conditional->getTrueExpr()),
               Right = device(Conditional->getFalseExpr());
    return Left == Right ? Left : DeviceKind::Unknown;
  }
  if (const auto *List = dyn_cast<InitListExpr>(E))
    return List->getNumInits() ? device(List->getInit(0)) : DeviceKind::Unset;
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return deviceOfCall(Call);
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E)) {
    if (Construct->getNumArgs() == 0 || isa<CXXDefaultArgExpr>(Construct->getArg(0)))
      return DeviceKind::Unset;
    return device(Construct->getArg(0));
  }
  return E->getType()->isEnumeralType() ? DeviceKind::Unset : DeviceKind::Unknown;
}

DeviceKind Evaluator::deviceOfCall(const CallExpr *E) const {
  const FunctionDecl *Callee = E->getDirectCallee();
  Call Resolved = Context.Api.resolve(Callee);
  const Expr *Object = nullptr;
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(E))
    Object = Member->getImplicitObjectArgument();
  if (Resolved.What == Effect::NoDevice)
    return DeviceKind::Unset;
  if (Resolved.What == Effect::SameObject && E->getNumArgs())
    return device(E->getArg(0));
  if (Resolved.What == Effect::SetsDevice && E->getNumArgs() &&
      !isa<CXXDefaultArgExpr>(E->getArg(0)))
    return device(E->getArg(0));
  if (Resolved.Where == Owner::Tensor && Object && Resolved.What == Effect::AsksDevice) {
    StateSet Bits = S.joinOf(objects(Object)).Bits;
    if (isEmpty(Bits))
      return DeviceKind::Meta;
    return hasData(Bits) || Bits == Uninitialized ? DeviceKind::Real : DeviceKind::OfTensor;
  }
  if ((Resolved.Where == Owner::Options || Resolved.Where == Owner::Device) && Object)
    return device(Object);
  if (Callee && Object && Callee->getIdentifier() && Callee->getName() == "value")
    return device(Object);
  if (DeviceKind Returned = S.deviceAt(Context.Nodes.temporary(E)); Returned != DeviceKind::Unknown)
    return Returned;
  return E->getType()->isEnumeralType() ? DeviceKind::Unset : DeviceKind::Unknown;
}

} // namespace metasan::analysis
