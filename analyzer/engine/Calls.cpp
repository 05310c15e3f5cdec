// The part of Transfer that knows what calls do.
#include "engine/Transfer.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace metasan::analysis {
namespace {

const Expr *objectOf(const CallExpr *E) {
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(E))
    return Member->getImplicitObjectArgument();
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E);
      Operator && isa_and_nonnull<CXXMethodDecl>(Operator->getDirectCallee()) && Operator->getNumArgs())
    return Operator->getArg(0);
  return nullptr;
}

/// The arguments proper, without the object of an operator call.
llvm::ArrayRef<const Expr *> argumentsOf(const CallExpr *E) {
  llvm::ArrayRef<const Expr *> Args(E->getArgs(), E->getNumArgs());
  if (isa<CXXOperatorCallExpr>(E) && isa_and_nonnull<CXXMethodDecl>(E->getDirectCallee()) && !Args.empty())
    return Args.drop_front();
  return Args;
}

class MentionsVariable : public RecursiveASTVisitor<MentionsVariable> {
public:
  explicit MentionsVariable(const ValueDecl *Wanted) : Wanted(Wanted) {}
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    Found |= E->getDecl()->getCanonicalDecl() == Wanted->getCanonicalDecl();
    return !Found;
  }
  bool Found = false;

private:
  const ValueDecl *Wanted;
};

} // namespace

void Transfer::call(const CallExpr *E, State &S) {
  const FunctionDecl *Callee = E->getDirectCallee();
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E))
    if (lambdaCall(Operator, S))
      return;
  Call Resolved = Context.Api.resolve(Callee);
  if (!llvm::is_contained({Owner::Tensor, Owner::Aten, Owner::Options, Owner::Device}, Resolved.Where))
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
        S.setState(Changed, Objects.single() ? New : S.stateOf(Changed).Bits | New);
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
  // Several operands in different states: whether the call is right at all is another rule's question.
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
      Target = Bits == Materialized                 ? DeviceKind::Real
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
    S.setState(Object, Objects.single() ? Materialized : S.stateOf(Object).Bits | Materialized);
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
      }
      S.leaveScope(Scope);
    }
  }
  if (const Node *Only = Built.single(); Only && (S.stateOf(Only).Bits & EmptyBits))
    return result(E, Built, S);
  createdResult(E, Declared, {BirthKind::BuildEmpty, E, nullptr, nullptr}, S);
}

//===- The standard library ------------------------------------------------------===//

void Transfer::standardCall(const CallExpr *E, Effect What, State &S) {
  switch (What) {
  case Effect::SameObject:
  case Effect::GetElement:
    return;
  case Effect::MakeObject: {
    TypeClass Class = Context.Types.classify(E->getType());
    if (Class == TypeClass::Module || Class == TypeClass::Tensor) {
      if (Class == TypeClass::Tensor && E->getNumArgs() == 1 &&
          Context.Types.isTensor(E->getArg(0)->getType()))
        return result(E, Evaluator(Context, S).objects(E->getArg(0)), S);
      return construction(E, Class, S);
    }
    break;
  }
  case Effect::MakeAggregate: {
    Evaluator Eval(Context, S);
    const CXXRecordDecl *Record = E->getType()->getAsCXXRecordDecl();
    const Node *Place = Context.Nodes.temporary(E);
    auto Field = Record ? Record->field_begin() : RecordDecl::field_iterator();
    for (unsigned Index = 0; Index < E->getNumArgs(); ++Index) {
      bool IsHandle = Context.Types.isHandle(E->getArg(Index)->getType());
      if (IsHandle)
        S.store(Context.Nodes.element(Place, Index), Eval.objects(E->getArg(Index)));
      if (Record && Record->getName() == "pair" && Field != Record->field_end()) {
        if (IsHandle)
          S.store(Context.Nodes.field(Place, *Field), Eval.objects(E->getArg(Index)));
        ++Field;
      }
    }
    return;
  }
  default:
    break;
  }
  unknownCall(E, E->getDirectCallee(), argumentsOf(E), S);
}

bool Transfer::memberOfStandardType(const CXXMemberCallExpr *E, State &S) {
  const CXXMethodDecl *Method = E->getMethodDecl();
  const Expr *Object = E->getImplicitObjectArgument();
  if (!Method || !Method->getIdentifier())
    return false;
  llvm::StringRef Name = Method->getName();
  Evaluator Eval(Context, S);
  NodeSet Places = Eval.places(Object);
  bool InStd = Method->getParent()->isInStdNamespace();
  switch (Context.Types.classify(Object->getType())) {
  case TypeClass::Scope:
    if (const Node *Place = Places.single()) {
      if (Name == "reset")
        S.leaveScope(Place);
      else if (Name == "emplace")
        S.enterScope(Place);
    }
    return true;
  case TypeClass::Container: {
    static const llvm::StringSet<> Adds{"push_back", "emplace_back", "push_front", "insert", "emplace"};
    static const llvm::StringSet<> Keeps{"at",    "front", "back",  "begin",   "end",      "data",  "find",
                                         "count", "size",  "empty", "reserve", "capacity", "rbegin"};
    if (Keeps.contains(Name))
      return true;
    if (!Adds.contains(Name))
      return false;
    for (const Node *Place : Places) {
      const Node *Element = Context.Nodes.element(Place, Node::AnyElement);
      // What the container held before is known only when it is a variable of this function.
      const auto *Var = Place->Kind == NodeKind::Variable ? static_cast<const VarDecl *>(Place->Key) : nullptr;
      bool StartsEmpty = Var && Var->isLocalVarDecl();
      NodeSet Values = S.holds(Element) || !StartsEmpty ? S.load(Element) : NodeSet();
      for (const Expr *Arg : E->arguments())
        if (Context.Types.isHandle(Arg->getType()))
          Values.insert(Eval.objects(Arg));
      if (Values.empty())
        Values.insert(Context.Nodes.opaque(E));
      S.store(Element, Values);
    }
    return true;
  }
  case TypeClass::Tensor:
  case TypeClass::Module:
    if (!InStd)
      return false;
    if (Name == "reset" || Name == "emplace" || Name == "swap") {
      NodeSet Values = Context.Nodes.opaque(E);
      if (Name != "swap" && E->getNumArgs() == 1 && Context.Types.isHandle(E->getArg(0)->getType()))
        Values = Eval.objects(E->getArg(0));
      assign(Places, Values, S);
    }
    return true;
  default:
    return false;
  }
}

//===- Calls nothing is known of -------------------------------------------------===//

bool Transfer::lambdaCall(const CXXOperatorCallExpr *E, State &S) {
  const auto *Operator = dyn_cast_or_null<CXXMethodDecl>(E->getDirectCallee());
  if (!Operator || E->getOperator() != OO_Call || !Operator->getParent()->isLambda())
    return false;
  Evaluator Eval(Context, S);
  for (unsigned Index = 0; Index < Operator->getNumParams() && Index + 1 < E->getNumArgs(); ++Index)
    bind(Context.Nodes.variable(Operator->getParamDecl(Index)), Operator->getParamDecl(Index)->getType(),
         E->getArg(Index + 1), S);
  // What was captured by copy is what it was when the lambda was made, unless it is called right there.
  const Expr *Callee = stripped(E->getArg(0));
  if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(Callee))
    Callee = stripped(Temporary->getSubExpr());
  std::vector<std::pair<const Node *, NodeSet>> Copied;
  for (const LambdaCapture &Capture : Operator->getParent()->captures())
    if (Capture.capturesVariable() && Capture.getCaptureKind() == LCK_ByCopy)
      if (const auto *Var = dyn_cast<VarDecl>(Capture.getCapturedVar())) {
        const Node *Place = Context.Nodes.variable(Var);
        Copied.push_back({Place, S.load(Place)});
        if (!isa<LambdaExpr>(Callee) && Context.Types.isHandle(Var->getType()))
          S.store(Place, Context.Nodes.opaque(E, Place));
      }
  bool Done = Lambdas.inlineCall(*Operator, S);
  for (auto &[Place, Values] : Copied)
    S.store(Place, Values);
  if (!Done)
    return false;
  const Node *Slot = Context.Nodes.returnValue(Operator->getBody());
  if (S.holds(Slot) && Context.Types.isHandle(E->getType()))
    result(E, S.load(Slot), S);
  return true;
}

void Transfer::unknownCall(const Expr *E, const FunctionDecl *Callee, llvm::ArrayRef<const Expr *> Args,
                           State &S) {
  for (unsigned Index = 0; Index < Args.size(); ++Index) {
    QualType Param = Callee && Index < Callee->getNumParams() ? Callee->getParamDecl(Index)->getType()
                                                              : Args[Index]->getType();
    havocArgument(E, Args[Index], Param, S);
  }
  const auto *Member = dyn_cast<CXXMemberCallExpr>(E);
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
  if (Member && Method && !Method->isConst() && !Method->isStatic()) {
    const Expr *Object = Member->getImplicitObjectArgument();
    Evaluator Eval(Context, S);
    written(Object, S);
    switch (Context.Types.classify(Object->getType())) {
    case TypeClass::Module:
      for (const Node *Module : Eval.objects(Object))
        S.setState(Module, Unknown);
      break;
    case TypeClass::Record:
    case TypeClass::Container:
      for (const Node *Place : Eval.places(Object))
        S.havocWithin(Place, E);
      break;
    default:
      break;
    }
  }
  if (isa<CallExpr>(E) && Context.Types.isHandle(E->getType()))
    result(E, Context.Nodes.opaque(E), S);
}

void Transfer::havocArgument(const Expr *Site, const Expr *Arg, QualType Param, State &S) {
  Evaluator Eval(Context, S);
  QualType Pointee = Param->isReferenceType() || Param->isPointerType() ? Param->getPointeeType() : Param;
  bool ByReference = (Param->isReferenceType() || Param->isPointerType()) && !Pointee.isConstQualified();
  if (ByReference)
    written(Arg, S);
  TypeClass Class = Context.Types.classify(Arg->getType());
  NodeSet Places = Eval.places(Arg);
  switch (Class) {
  case TypeClass::Tensor:
    if (!ByReference || Param->isRValueReferenceType())
      return;
    for (const Node *Object : S.load(Places))
      if (Object->isObject())
        S.setState(Object, Unknown);
    for (const Node *Place : Places)
      if (!Place->isObject())
        S.store(Place, Context.Nodes.opaque(Site, Place));
    return;
  case TypeClass::Module:
    // A handle shares its module whether or not it is const; only a const module itself cannot be loaded.
    if (Context.Types.isModuleClass(Arg->getType()) && Pointee.isConstQualified())
      return;
    for (const Node *Object : S.load(Places))
      if (Object->isObject())
        S.setState(Object, Unknown);
    return;
  case TypeClass::Container:
    if (!ByReference)
      return;
    [[fallthrough]];
  case TypeClass::Record:
    if (const CXXRecordDecl *Closure = recordOf(Arg->getType()); Closure && Closure->isLambda()) {
      for (const LambdaCapture &Capture : Closure->captures())
        if (Capture.capturesThis()) {
          S.havocWithin(Context.Nodes.self(), Site);
          for (const Node *Self : S.load(Context.Nodes.self()))
            S.setState(Self, Unknown);
        }
      return;
    }
    if (!ByReference && !isa<CXXThisExpr>(stripped(Arg)))
      return;
    for (const Node *Place : Places)
      S.havocWithin(Place, Site);
    return;
  default:
    return;
  }
}

void Transfer::havocGlobals(const CallExpr *E, const FunctionDecl *Callee, State &S) {
  // A function that is handed the global has no need to reach for it; one whose body is seen not to mention it cannot.
  const FunctionDecl *Definition = nullptr;
  bool HasBody = Callee && Callee->hasBody(Definition);
  Evaluator Eval(Context, S);
  NodeSet Handed;
  for (const Expr *Arg : E->arguments())
    if (Context.Types.isHandle(Arg->getType()))
      Handed.insert(Eval.objects(Arg));
  for (const Node *Place : S.globals()) {
    const auto *Var = static_cast<const VarDecl *>(Place->Key);
    bool Unaffected = Callee && (Callee->isInStdNamespace() || Context.Api.resolve(Callee).Where != Owner::User);
    if (HasBody) {
      MentionsVariable Search(Var);
      Search.TraverseStmt(Definition->getBody());
      Unaffected |= !Search.Found;
    }
    for (const Node *Object : S.load(Place))
      Unaffected |= Handed.contains(Object);
    if (!Unaffected)
      S.store(Place, Context.Nodes.opaque(E, Place));
  }
}

} // namespace metasan::analysis
