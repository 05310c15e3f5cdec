// The part of Transfer that knows what the calls of LibTorch do to tensors, and that sends every
// other call where it belongs.
#include "engine/Transfer.h"

using namespace clang;

namespace metasan::analysis {

const Expr *objectOf(const CallExpr *E) {
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(E))
    return Member->getImplicitObjectArgument();
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E);
      Operator && isa_and_nonnull<CXXMethodDecl>(Operator->getDirectCallee()) &&
      Operator->getNumArgs())
    return Operator->getArg(0);
  return nullptr;
}

namespace {

llvm::StringRef nameOf(const CallExpr *E) {
  const FunctionDecl *Callee = E->getDirectCallee();
  return Callee && Callee->getIdentifier() ? Callee->getName() : "";
}

/// A size among the arguments is 0: such a tensor has no values to be missing.
bool hasNoElements(const CallExpr *E, const ASTContext &AST) {
  std::function<bool(const Stmt *)> HasZero = [&](const Stmt *S) {
    const auto *Value = dyn_cast_or_null<Expr>(S);
    Expr::EvalResult Result;
    if (Value && !Value->isValueDependent() && Value->getType()->isIntegerType() &&
        !Value->getType()->isBooleanType() && Value->EvaluateAsInt(Result, AST))
      return Result.Val.getInt() == 0;
    return S && llvm::any_of(S->children(), HasZero);
  };
  return E->getNumArgs() && HasZero(E->getArg(0));
}

/// torch::tensor(2.0): LibTorch takes a single number from any device, as it takes the number
/// itself.
bool isScalarTensor(const Node *Object) {
  if (Object->Kind != NodeKind::Created)
    return false;
  const auto *Call = dyn_cast<CallExpr>(static_cast<const Stmt *>(Object->Key));
  return Call && Call->getNumArgs() && nameOf(Call).ends_with("tensor") &&
         Call->getArg(0)->IgnoreParenImpCasts()->getType()->isArithmeticType();
}

} // namespace

void Transfer::call(const CallExpr *E, State &S) {
  const FunctionDecl *Callee = E->getDirectCallee();
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E))
    if (lambdaCall(Operator, S))
      return;
  Call Resolved = Context.Api.resolve(Callee);
  switch (Resolved.Where) {
  case Owner::Options:
  case Owner::Device:
    return;
  case Owner::Tensor:
  case Owner::Storage:
  case Owner::Aten:
    return tensorCall(E, Resolved, S);
  case Owner::Module:
    return moduleCall(E, Resolved.What, S);
  case Owner::MetaSan:
    return metaSanCall(E, Resolved.What, S);
  case Owner::Std:
    return standardCall(E, Resolved.What, S);
  case Owner::User:
    if (const auto *Member = dyn_cast<CXXMemberCallExpr>(E))
      if (memberOfStandardType(Member, S))
        return;
    if (Callee && knownCall(E, Callee, {objectOf(E), std::nullopt, argumentsOf(E)}, S,
                            /*MayPart=*/true))
      return;
    havocGlobals(E, Callee, S);
    unknownCall(E, Callee, argumentsOf(E), S);
  }
}

//===- Tensors -----------------------------------------------------------------===//

void Transfer::tensorCall(const CallExpr *E, const Call &Callee, State &S) {
  Evaluator Eval(Context, S);
  const Expr *Object = objectOf(E);
  llvm::SmallVector<Operand, 4> Tensors;
  if (Object)
    Tensors.push_back({Object, Eval.objects(Object)});
  const Expr *DeviceArg = nullptr;
  for (const Expr *Arg : argumentsOf(E)) {
    switch (Context.Types.classify(Arg->getType())) {
    case TypeClass::Tensor:
      Tensors.push_back({Arg, Eval.objects(Arg)});
      break;
    case TypeClass::Container:
      for (const Node *Element : Eval.elements(Arg))
        Tensors.push_back({Arg, S.load(Element)});
      break;
    case TypeClass::Device:
      if (!DeviceArg || Eval.device(DeviceArg) == DeviceKind::Unset)
        DeviceArg = Arg;
      break;
    default:
      break;
    }
  }

  const auto &[Where, What, Traits] = Callee;
  switch (What) {
  case Effect::ReadsValues:
    readValues(E, Tensors, S);
    if (Context.Types.isTensor(E->getType()))
      result(E, Context.Nodes.opaque(E), S);
    return;
  case Effect::RawAccess:
    if (!Object)
      return;
    needsData(Rule::MetaRawAccess, E, Object, S);
    return endTracking(Eval.objects(Object), S);
  case Effect::CopyOut:
    return copyOut(E, S);
  case Effect::CopyFromArgument:
    return copyInto(E, Object, S);
  case Effect::Overwrites:
    if (Tensors.empty())
      return;
    overwrite(E, Callee, Tensors.front().Objects, S);
    return result(E, Tensors.front().Objects, S);
  case Effect::OtherTensor:
    return result(E, Context.Nodes.opaque(E), S);
  case Effect::KeepsValues:
    if (Object)
      result(E, Tensors.front().Objects, S);
    return;
  case Effect::Copies:
    if (Object && (S.joinOf(Tensors.front().Objects).Bits & Uninitialized))
      return createdResult(E, Uninitialized, {BirthKind::Uninitialized, E}, S);
    break;
  case Effect::SetData:
    if (Object && E->getNumArgs() && Context.Types.isTensor(E->getArg(0)->getType())) {
      ObjectState New = S.joinOf(Eval.objects(E->getArg(0)));
      for (const Node *Changed : Eval.objects(Object)) {
        if (hasData(New.Bits))
          Context.Nodes.recordFilling(Changed, E);
        S.setState(Changed, New.Bits, New.Replayable);
      }
    }
    return;
  case Effect::Save:
    if (E->getNumArgs())
      needsAllOf(Rule::MetaSaved, E, E->getArg(0), S);
    return;
  case Effect::Load:
    if (E->getNumArgs())
      loadInto(E, E->getArg(0), Materialized, S);
    return;
  case Effect::SameObject:
    if (Object)
      endTracking(Eval.objects(Object), S);
    return;
  default:
    break;
  }

  bool IsTensor = Context.Types.isTensor(E->getType()) && !E->getType()->isPointerType();
  // In-place operators return the object they changed, whose state stays.
  bool InPlace = E->isGLValue() || nameOf(E).ends_with("_") || nameOf(E).ends_with("_out");
  if (!Traits.NeedsOnlyMetadata && !DeviceArg)
    mustNotMix(E, Tensors, InPlace, S);
  if (InPlace && !Tensors.empty()) {
    inPlace(E, Callee, Tensors, S);
    if (IsTensor)
      result(E, Tensors.front().Objects, S);
    return;
  }
  if (What == Effect::WholeView && IsTensor && !Tensors.empty() &&
      (S.joinOf(Tensors.front().Objects).Bits & Uninitialized))
    return result(E, Tensors.front().Objects, S); // to the memory, another name of the same
  if (Traits.View || What == Effect::PartView)
    for (const Operand &Viewed : Tensors)
      endTracking(Viewed.Objects, S);
  else if (IsTensor && !Traits.NeedsOnlyMetadata && What != Effect::MakesUninitialized &&
           What != Effect::Copies)
    mustBeWritten(E, Tensors, S);
  if (!IsTensor) {
    TypeClass Class = Context.Types.classify(E->getType());
    if (Class == TypeClass::Container && !Tensors.empty() &&
        isEmpty(S.joinOf(Tensors.front().Objects).Bits)) {
      // split, chunk, unbind: parts of what is empty
      const Node *Part = Context.Nodes.created(E);
      S.setState(Part, Declared);
      Context.Nodes.recordBirth(
          Part, {BirthKind::FromEmpty, E, nullptr, Tensors.front().Objects.single()});
      return S.store(Context.Nodes.element(Context.Nodes.temporary(E), Node::AnyElement), Part);
    }
    if (Class != TypeClass::Other)
      result(E, Context.Nodes.opaque(E), S);
    return;
  }

  DeviceKind Device = DeviceArg ? Eval.device(DeviceArg) : DeviceKind::Unset;
  bool Uninit = What == Effect::MakesUninitialized && !hasNoElements(E, Context.AST);
  bool Computable = What != Effect::MakesUninitialized && !Traits.Random;
  if (Device == DeviceKind::Meta)
    return createdResult(E, Declared, {BirthKind::MetaDevice, E}, S);
  if (What == Effect::MakesReal)
    return createdResult(E, Materialized, {}, S, /*Replayable=*/true);
  if (Tensors.empty() && S.inScope())
    return createdResult(E, S.creationBits(), birthInScope(E, S), S, Computable);
  bool Placeable = Device == DeviceKind::Real || (Device == DeviceKind::Unset && Tensors.empty());
  if (Placeable && Uninit)
    return createdResult(E, Uninitialized, {BirthKind::Uninitialized, E}, S);
  if (Placeable)
    return createdResult(E, Tensors.empty() ? Ambient : Materialized, {}, S, Computable);
  if (Device != DeviceKind::Unset)
    return result(E, Context.Nodes.opaque(E), S);
  if (Uninit && hasData(S.joinOf(Tensors.front().Objects).Bits))
    return createdResult(E, Uninitialized, {BirthKind::Uninitialized, E}, S);
  operatorResult(E, Tensors, S);
}

void Transfer::readValues(const CallExpr *E, llvm::ArrayRef<Operand> Operands, State &S) {
  for (const Operand &Read : Operands) {
    ObjectState Joined = S.joinOf(Read.Objects);
    bool BornInScope = llvm::any_of(Read.Objects, [&](const Node *Object) {
      const Birth *How = Context.Nodes.birthOf(Object);
      return How && (How->Kind == BirthKind::Scope || How->Kind == BirthKind::BuildEmpty ||
                     How->Kind == BirthKind::CallerScope || How->Kind == BirthKind::FromEmpty);
    });
    // While a scope is open, this function's or the caller's, the runtime answers from the
    // operators that made the tensor, unless its values are random or those of a parameter.
    bool UnderScope = S.inScope() && BornInScope;
    if (!Joined.Replayable && (UnderScope || (Joined.Bits & Ambient)))
      needsData({.Violates = Rule::ScopeMisuse,
                 .Site = E,
                 .Subject = Read.Spelled,
                 .Objects = Read.Objects,
                 .Bad = UnderScope ? EmptyBits : Ambient,
                 .Issue = ScopeIssue::ValueRead},
                S);
    if (!UnderScope)
      needsData(Rule::MetaDataDependent, E, Read.Spelled, S);
  }
  mustBeWritten(E, Operands, S);
}

void Transfer::mustBeWritten(const CallExpr *E, llvm::ArrayRef<Operand> Operands, State &S) {
  for (const Operand &Read : Operands)
    needsData({.Violates = Rule::UninitializedRead,
               .Site = E,
               .Subject = Read.Spelled,
               .Objects = Read.Objects,
               .Bad = Uninitialized},
              S);
}

void Transfer::endTracking(const NodeSet &Objects, State &S) {
  // Written through the view or the pointer, in part or in whole: nobody can say.
  for (const Node *Object : Objects)
    if (Object->isObject())
      S.markWritten(Object, MemoryWrite::Part);
}

void Transfer::mustNotMix(const CallExpr *E, llvm::ArrayRef<Operand> Operands, bool InPlace,
                          State &S) {
  // Under a scope, what is computed is recorded and done when the weights are there.
  if (Operands.size() < 2 || S.inScope())
    return;
  auto Find = [&](const Operand &Other, auto Matches) -> const Operand * {
    for (const Operand &Candidate : Operands)
      if (&Candidate != &Other && !llvm::any_of(Candidate.Objects, isScalarTensor) &&
          Matches(S.joinOf(Candidate.Objects).Bits))
        return &Candidate;
    return nullptr;
  };
  for (const Operand &Without : Operands) {
    // The tensors of one list share their spelling: those that have data say nothing of the others.
    bool OneOfMany = llvm::count_if(Operands, [&](const Operand &Other) {
                       return Other.Spelled == Without.Spelled;
                     }) > 1;
    if (OneOfMany && !(S.joinOf(Without.Objects).Bits & (EmptyBits | AtEntry)))
      continue;
    const Operand *With = Find(Without, [](StateSet Bits) { return hasData(Bits); });
    if (!With)
      With = Find(Without, [](StateSet Bits) { return (Bits & AtEntry) && !(Bits & EmptyBits); });
    if (!With)
      With = Find(Without, [](StateSet) { return true; });
    if (!With)
      continue;
    // What is written into the tensor itself is lost.
    bool Writes = InPlace && &Without == &Operands.front();
    needsData({.Violates = Writes ? Rule::MetaWriteLost : Rule::MetaMixed,
               .Site = E,
               .Subject = Without.Spelled,
               .Objects = Without.Objects,
               .Companions = With->Objects},
              S);
  }
}

void Transfer::overwrite(const CallExpr *E, const Call &Callee, const NodeSet &Objects, State &S) {
  bool Random = Callee.Traits.Random || !nameOf(E).ends_with("_") || Callee.Where == Owner::Aten;
  for (const Node *Object : Objects) {
    if (!Object->isObject())
      continue;
    if (S.stateOf(Object).Bits & (Uninitialized | AtEntry))
      Context.Nodes.recordFilling(Object, E);
    S.markWritten(Object, MemoryWrite::Whole);
    // Through a view, a part of what it shows.
    for (const Node *Base = Context.Nodes.baseOf(Object); Base; Base = Context.Nodes.baseOf(Base))
      S.markWritten(Base, MemoryWrite::Part);
    if (Random)
      S.markRandom(Object);
  }
}

void Transfer::inPlace(const CallExpr *E, const Call &Callee, llvm::ArrayRef<Operand> Operands,
                       State &S) {
  llvm::StringRef Name = nameOf(E);
  const Operand &Target = Operands.front();
  if (Context.Api.isInitializer(E->getDirectCallee()) || Name.ends_with("_out")) {
    if (Name.ends_with("_out"))
      mustBeWritten(E, Operands.drop_front(), S);
    return overwrite(E, Callee, Target.Objects, S);
  }
  bool Computable = llvm::all_of(Operands.drop_front(), [&](const Operand &Other) {
    ObjectState One = S.joinOf(Other.Objects);
    return One.Replayable || One.Bits == Materialized;
  });
  if (Callee.Traits.Random || !Computable)
    for (const Node *Object : Target.Objects)
      if (Object->isObject())
        S.markRandom(Object);
  // Operators that write a part (index_put_, masked_fill_) do not read the rest.
  if (!Context.Types.isTensor(E->getType()))
    return;
  if (Callee.What == Effect::WritesPart)
    return endTracking(Target.Objects, S);
  mustBeWritten(E, Operands, S);
}

void Transfer::copyInto(const CallExpr *E, const Expr *Object, State &S) {
  if (!Object || !E->getNumArgs())
    return;
  Evaluator Eval(Context, S);
  const Expr *Source = E->getArg(0);
  NodeSet Targets = Eval.objects(Object), Sources = Eval.objects(Source);
  ObjectState From = S.joinOf(Sources);
  mustBeWritten(E, Operand{Source, Sources}, S);
  // Into a meta tensor nothing is copied; into an unknown one, nobody can say.
  if (Targets.single())
    needsData({.Violates = Rule::MetaCopyOut,
               .Site = E,
               .Subject = Source,
               .Objects = Sources,
               .Companions = Targets},
              S);
  // What is copied into a meta tensor is lost, unless there is nothing to lose.
  if (!S.inScope()) {
    bool Known = !(From.Bits & Unknown);
    needsData({.Violates = Rule::MetaWriteLost,
               .Site = E,
               .Subject = Object,
               .Objects = Targets,
               .Companions = Known ? std::optional(Sources) : std::nullopt,
               .Certain = Known},
              S);
  }
  for (const Node *Target : Targets) {
    if (!Target->isObject())
      continue;
    if (S.stateOf(Target).Bits & Uninitialized)
      Context.Nodes.recordFilling(Target, E);
    bool Whole = hasData(From.Bits) || (From.Bits & AtEntry);
    S.markWritten(Target, Whole ? MemoryWrite::Whole : MemoryWrite::Part);
    if (!From.Replayable && From.Bits != Materialized)
      S.markRandom(Target);
  }
  result(E, Targets, S);
}

void Transfer::operatorResult(const CallExpr *E, llvm::ArrayRef<Operand> Operands, State &S) {
  Call Callee = Context.Api.resolve(E->getDirectCallee());
  NodeSet All;
  for (const Operand &One : Operands)
    All.insert(One.Objects);
  ObjectState Joined = S.joinOf(All);
  // Several operands in different states: whether the call is right at all is another rule's
  // question.
  bool Mixed = Operands.size() > 1 && (Joined.Bits & EmptyBits) && !isEmpty(Joined.Bits);
  if (Mixed && S.inScope() && !(Joined.Bits & (OpenBits | Uninitialized))) {
    Mixed = false;
    Joined.Bits = Declared;
  }
  if (Mixed || (Joined.Bits & (Unknown | Uninitialized)))
    return result(E, Context.Nodes.opaque(E), S);
  const Node *First = nullptr;
  for (const Node *Object : All)
    if (!First && Object->isObject() && (S.stateOf(Object).Bits & (EmptyBits | AtEntry)))
      First = Object;
  StateSet Bits = Joined.Bits & Placed ? (Joined.Bits & ~Placed) | Materialized : Joined.Bits;
  createdResult(E, Bits, {BirthKind::FromEmpty, E, nullptr, First}, S,
                Joined.Replayable && !Callee.Traits.Random);
  if (First && (Callee.Traits.View || Callee.What == Effect::PartView))
    Context.Nodes.recordView(First, Context.Nodes.created(E));
}

void Transfer::copyOut(const CallExpr *E, State &S) {
  Evaluator Eval(Context, S);
  const Expr *Object = objectOf(E);
  if (!Object) {
    llvm::SmallVector<Operand, 2> Operands;
    for (const Expr *Arg : E->arguments())
      if (Context.Types.isTensor(Arg->getType()))
        Operands.push_back({Arg, Eval.objects(Arg)});
    return operatorResult(E, Operands, S);
  }
  DeviceKind Target = DeviceKind::Unset;
  if (nameOf(E) != "to")
    Target = DeviceKind::Real; // cpu(), cuda()
  for (const Expr *Arg : E->arguments()) {
    TypeClass Class = Context.Types.classify(Arg->getType());
    if (Class == TypeClass::Device && Target == DeviceKind::Unset) {
      Target = Eval.device(Arg);
    } else if (Class == TypeClass::Tensor) {
      StateSet Bits = S.joinOf(Eval.objects(Arg)).Bits;
      Target = hasData(Bits)   ? DeviceKind::Real
               : isEmpty(Bits) ? DeviceKind::Meta
                               : DeviceKind::OfTensor;
    }
  }
  Operand Moved{Object, Eval.objects(Object)};
  StateSet Bits = S.joinOf(Moved.Objects).Bits;
  if (Target == DeviceKind::Meta)
    return createdResult(E, Declared, {BirthKind::MovedToMeta, E}, S);
  if (Target == DeviceKind::OfTensor)
    return result(E, Context.Nodes.opaque(E), S);
  bool Casts = Target == DeviceKind::Unset;
  if (!Casts)
    needsData(Rule::MetaCopyOut, E, Object, S);
  if (Bits & Uninitialized) {
    endTracking(Moved.Objects, S); // may be the same tensor
    return result(E, Context.Nodes.opaque(E), S);
  }
  if (Casts)
    return operatorResult(E, Moved, S);
  createdResult(E, Target == DeviceKind::Real ? Materialized : Unknown, {}, S);
}

} // namespace metasan::analysis
