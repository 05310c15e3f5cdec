#include "engine/Guards.h"

#include "clang/Basic/Builtins.h"

using namespace clang;

namespace metasan::analysis {
namespace {

/// The expression under casts, temporaries and the compiler's own hints.
const Expr *condition(const Expr *E) {
  for (;;) {
    const Expr *Inner = stripped(E->IgnoreParenCasts());
    if (const auto *Call = dyn_cast<CallExpr>(Inner);
        Call && (Call->getBuiltinCallee() == Builtin::BI__builtin_expect ||
                 Call->getBuiltinCallee() == Builtin::BI__builtin_expect_with_probability))
      Inner = Call->getArg(0);
    if (Inner == E)
      return E;
    E = Inner;
  }
}

/// Both sides of == or !=, however C++20 spells it; nothing for other expressions.
struct Equality {
  const Expr *Left = nullptr, *Right = nullptr;
  bool Negated = false;
};

std::optional<Equality> asEquality(const Expr *E) {
  if (const auto *Binary = dyn_cast<BinaryOperator>(E); Binary && Binary->isEqualityOp())
    return Equality{Binary->getLHS(), Binary->getRHS(), Binary->getOpcode() == BO_NE};
  if (const auto *Rewritten = dyn_cast<CXXRewrittenBinaryOperator>(E);
      Rewritten && (Rewritten->getOperator() == BO_EQ || Rewritten->getOperator() == BO_NE))
    return Equality{Rewritten->getLHS(), Rewritten->getRHS(), Rewritten->getOperator() == BO_NE};
  if (const auto *Call = dyn_cast<CXXOperatorCallExpr>(E); Call && Call->getNumArgs() == 2)
    if (Call->getOperator() == OO_EqualEqual || Call->getOperator() == OO_ExclaimEqual)
      return Equality{Call->getArg(0), Call->getArg(1), Call->getOperator() == OO_ExclaimEqual};
  return std::nullopt;
}

const EnumConstantDecl *asEnumerator(const Expr *E) {
  const auto *Ref = dyn_cast<DeclRefExpr>(condition(E));
  return Ref ? dyn_cast<EnumConstantDecl>(Ref->getDecl()) : nullptr;
}

} // namespace

std::optional<Guards::Question> Guards::comparison(const Expr *Left, const Expr *Right,
                                                   const State &S) const {
  Left = condition(Left);
  if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(Left))
    Left = condition(Temporary->getSubExpr());
  if (const auto *Call = dyn_cast<CallExpr>(Left);
      Call && Context.Api.resolve(Call->getDirectCallee()).What == Effect::AsksState &&
      Call->getNumArgs() > 0)
    if (const EnumConstantDecl *Wanted = asEnumerator(Right))
      return Question{Call->getArg(0), false, Wanted->getName() == "Declared", true};

  DeviceKind Other = Evaluator(Context, S).device(Right);
  if (Other != DeviceKind::Meta && Other != DeviceKind::Real)
    return std::nullopt;
  bool Meta = Other == DeviceKind::Meta;
  // t.device(), t.device().type(), device.type(), device
  const Expr *Subject = Left;
  while (const auto *Call = dyn_cast<CXXMemberCallExpr>(Subject)) {
    struct Call Asked = Context.Api.resolve(Call->getMethodDecl());
    if (Asked.What != Effect::AsksDevice)
      return std::nullopt;
    Subject = condition(Call->getImplicitObjectArgument());
    if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(Subject))
      Subject = condition(Temporary->getSubExpr());
    if (Asked.Where == Owner::Tensor)
      return Question{Subject, false, Meta, Meta};
  }
  if (Context.Types.classify(Subject->getType()) == TypeClass::Device)
    return Question{Subject, true, Meta, Meta};
  return std::nullopt;
}

std::optional<Guards::Question> Guards::questionOf(const Expr *E, const State &S) const {
  if (const auto *Call = dyn_cast<CXXMemberCallExpr>(E)) {
    struct Call Asked = Context.Api.resolve(Call->getMethodDecl());
    if (Asked.What != Effect::AsksMeta && Asked.What != Effect::AsksReal)
      return std::nullopt;
    bool Meta = Asked.What == Effect::AsksMeta;
    const Expr *Object = condition(Call->getImplicitObjectArgument());
    if (Asked.Where == Owner::Tensor)
      return Question{Object, false, Meta, Meta};
    // t.device().is_meta()
    if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(Object))
      Object = condition(Temporary->getSubExpr());
    if (const auto *Inner = dyn_cast<CXXMemberCallExpr>(Object)) {
      struct Call Device = Context.Api.resolve(Inner->getMethodDecl());
      if (Device.Where == Owner::Tensor && Device.What == Effect::AsksDevice)
        return Question{Inner->getImplicitObjectArgument(), false, Meta, Meta};
      return std::nullopt;
    }
    return Question{Object, true, Meta, Meta};
  }
  if (std::optional<Equality> Test = asEquality(E)) {
    std::optional<Question> Result = comparison(Test->Left, Test->Right, S);
    if (!Result)
      Result = comparison(Test->Right, Test->Left, S);
    return Result;
  }
  return std::nullopt;
}

StateSet Guards::narrowed(StateSet Bits, bool Empty) {
  if (Empty)
    return (Bits & EmptyBits) | (Bits & OpenBits ? Assumed : 0);
  return (Bits & (DataBits | Uninitialized)) | (Bits & OpenBits ? Materialized : 0);
}

bool Guards::refine(State &S, const Expr *Site, const Expr *Subject, bool Empty) const {
  NodeSet Places = Evaluator(Context, S).places(Subject);
  auto Narrowed = [&](StateSet Bits) { return narrowed(Bits, Empty); };
  bool Possible = false;
  for (const Node *Object : S.load(Places)) {
    StateSet Bits = S.stateOf(Object).Bits;
    Possible |= !Bits || Narrowed(Bits);
  }
  if (!Possible)
    return false;
  if (const Node *Place = Places.single(); Place && !Place->isObject() && !S.load(Place).single())
    S.filter(Place, [&](const Node *Object) { return Narrowed(S.stateOf(Object).Bits) != 0; });
  if (const Node *Object = S.load(Places).single()) {
    StateSet Bits = S.stateOf(Object).Bits;
    if (Bits && Narrowed(Bits) != Bits) {
      if (Empty && !(Bits & Declared))
        Context.Nodes.recordBirth(Object, {BirthKind::Guard, Site});
      S.refine(Object, Narrowed(Bits));
    }
    // A module that is not empty has no part that is.
    if (!Empty)
      for (const Node *Part : S.partsOf(Object))
        if (StateSet Known = S.stateOf(Part).Bits; Known && Narrowed(Known) != Known)
          S.refine(Part, Narrowed(Known) ? Narrowed(Known) : StateSet(Materialized));
  }
  return true;
}

void Guards::forgetAskedModules(State &S, const Expr *E) const {
  const auto *Call = dyn_cast<CallExpr>(E);
  if (!Call || Context.Api.resolve(Call->getDirectCallee()).Where != Owner::User)
    return;
  Evaluator Eval(Context, S);
  auto Forget = [&](const Expr *Asked) {
    if (!Context.Types.isHandle(Asked->getType()))
      return;
    for (const Node *Object : Eval.objects(Asked))
      if (S.stateOf(Object).Bits & EmptyBits)
        S.setState(Object, Unknown);
  };
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(Call)) {
    // Whether a pointer or a holder is empty says nothing of what it holds.
    const auto *Method = Member->getMethodDecl();
    if (!isa_and_nonnull<CXXConversionDecl>(Method) &&
        Context.Types.isModuleClass(Member->getImplicitObjectArgument()->getType()))
      Forget(Member->getImplicitObjectArgument());
    return;
  }
  if (!isa<CXXOperatorCallExpr>(Call))
    for (const Expr *Arg : Call->arguments())
      Forget(Arg);
}

const Node *Guards::askedScope(const State &S, const Expr *E) const {
  // "if (scope)", "scope.has_value()", "scope != nullptr" of an optional or a pointer
  if (const auto *Call = dyn_cast<CXXMemberCallExpr>(E)) {
    const CXXMethodDecl *Method = Call->getMethodDecl();
    bool Asks = isa_and_nonnull<CXXConversionDecl>(Method) ||
                (Method && Method->getIdentifier() && Method->getName() == "has_value");
    const Expr *Object = Call->getImplicitObjectArgument();
    if (Asks && Context.Types.classify(Object->getType()) == TypeClass::Scope)
      return Evaluator(Context, S).places(Object).single();
  }
  return nullptr;
}

bool Guards::tells(const State &S, const Expr *Condition) const {
  const Expr *E = condition(Condition);
  if (S.Facts.find(callFact(Context.Nodes, E)))
    return true;
  if (const auto *Not = dyn_cast<UnaryOperator>(E); Not && Not->getOpcode() == UO_LNot)
    return tells(S, Not->getSubExpr());
  if (const auto *Binary = dyn_cast<BinaryOperator>(E); Binary && Binary->isLogicalOp())
    return tells(S, Binary->getLHS()) || tells(S, Binary->getRHS());
  bool Constant;
  if (!E->isValueDependent() && E->EvaluateAsBooleanCondition(Constant, Context.AST))
    return true;
  return Facts.find(E) || questionOf(E, S);
}

std::vector<State> Guards::assume(State S, const Expr *Condition, bool Value) const {
  const Expr *E = condition(Condition);
  if (const auto *Not = dyn_cast<UnaryOperator>(E); Not && Not->getOpcode() == UO_LNot)
    return assume(std::move(S), Not->getSubExpr(), !Value);
  if (const auto *Binary = dyn_cast<BinaryOperator>(E); Binary && Binary->isLogicalOp()) {
    // Both sides decide, or the left one does alone.
    bool Both = (Binary->getOpcode() == BO_LAnd) == Value;
    std::vector<State> Result;
    for (State &Left : assume(S, Binary->getLHS(), Both ? Value : !Value))
      for (State &Right : assume(std::move(Left), Binary->getRHS(), Value))
        Result.push_back(std::move(Right));
    if (!Both)
      for (State &Alone : assume(std::move(S), Binary->getLHS(), Value))
        Result.push_back(std::move(Alone));
    return Result;
  }
  bool Constant;
  if (!E->isValueDependent() && E->EvaluateAsBooleanCondition(Constant, Context.AST) &&
      Constant != Value)
    return {};
  if (std::optional<metasan::analysis::Condition> Known = Facts.find(E))
    if (!Facts.assume(S, *Known, Value))
      return {};
  // What the callee returns on this path.
  if (std::optional<bool> Known = S.Facts.find(callFact(Context.Nodes, E))) {
    if (*Known != Value)
      return {};
    S.Facts.erase(callFact(Context.Nodes, E));
    return {std::move(S)};
  }
  if (const Node *Scope = askedScope(S, E)) {
    if (!Value)
      S.leaveScope(Scope);
    else if (S.isOpen(Scope))
      S.enterScope(Scope);
    return {std::move(S)};
  }
  if (std::optional<Equality> Test = asEquality(E); Test && Test->Negated)
    Value = !Value;
  if (std::optional<Question> Asked = questionOf(E, S)) {
    if (!Value && !Asked->Exact)
      return {std::move(S)};
    bool Empty = Asked->MeansEmpty == Value;
    if (Asked->IsDevice) {
      NodeSet Places = Evaluator(Context, S).places(Asked->Subject);
      if (const Node *Place = Places.single(); Place && !Place->isObject())
        S.setDevice(Place, Empty ? DeviceKind::Meta : DeviceKind::Real);
      return {std::move(S)};
    }
    if (!refine(S, E, Asked->Subject, Empty))
      return {};
    return {std::move(S)};
  }
  forgetAskedModules(S, E);
  return {std::move(S)};
}

} // namespace metasan::analysis
