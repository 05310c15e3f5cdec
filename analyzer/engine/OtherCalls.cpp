// The part of Transfer for calls outside LibTorch and MetaSan: the standard library, lambdas, and
// functions nothing is known of.
#include "engine/Transfer.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace metasan::analysis {
namespace {

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

llvm::ArrayRef<const Expr *> argumentsOf(const CallExpr *E) {
  llvm::ArrayRef<const Expr *> Args(E->getArgs(), E->getNumArgs());
  if (isa<CXXOperatorCallExpr>(E) && isa_and_nonnull<CXXMethodDecl>(E->getDirectCallee()) &&
      !Args.empty())
    return Args.drop_front();
  return Args;
}

namespace {

/// What the second of a pair holds, as a map's entry has it.
NodeSet pairValue(const NodeSet &Pairs, const State &S) {
  NodeSet Result;
  for (const Node *Pair : Pairs)
    for (const Node *Inside : Pair->Inside)
      if (S.holds(Inside) &&
          (Inside->Kind == NodeKind::Field
               ? static_cast<const FieldDecl *>(Inside->Key)->getName() == "second"
               : Inside->Kind == NodeKind::Element && Inside->Index == 1))
        Result.insert(S.load(Inside));
  return Result;
}

} // namespace

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
      // std::make_unique<Net>(model): a copy of the holder.
      if (Class == TypeClass::Module && E->getNumArgs() == 1 &&
          Context.Types.isModule(E->getArg(0)->getType()) &&
          Context.Types.heldModule(E->getType()) ==
              Context.Types.heldModule(E->getArg(0)->getType()))
        return result(E, Evaluator(Context, S).objects(E->getArg(0)), S);
      construction(E, Class, S);
      if (Class == TypeClass::Module)
        constructWithSummary(E, Context.Types.heldModule(E->getType()), Context.Nodes.created(E),
                             argumentsOf(E), S);
      return;
    }
    if (const CXXRecordDecl *Pointee = TypeOracle::pointee(E->getType());
        Pointee && Class == TypeClass::Record) {
      // A record of the user's own, in a place of its own.
      const Node *Place = Context.Nodes.heap(E);
      havocArguments(E, E->getDirectCallee(), argumentsOf(E), S);
      result(E, Place, S);
      openMemberScopes(Place, Context.AST.getRecordType(Pointee), S);
      return constructWithSummary(E, Pointee, Place, argumentsOf(E), S);
    }
    break;
  }
  case Effect::Swap:
    if (E->getNumArgs() == 2 && Context.Types.isHandle(E->getArg(0)->getType())) {
      Evaluator Eval(Context, S);
      NodeSet Left = Eval.places(E->getArg(0)), Right = Eval.places(E->getArg(1));
      NodeSet LeftHolds = S.load(Left), RightHolds = S.load(Right);
      assign(Left, RightHolds, S);
      return assign(Right, LeftHolds, S);
    }
    break;
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
    static const llvm::StringSet<> Adds{"push_back", "emplace_back", "push_front", "insert",
                                        "emplace"};
    static const llvm::StringSet<> Keeps{"at",      "front",    "back",  "begin", "end",
                                         "data",    "find",     "count", "size",  "empty",
                                         "reserve", "capacity", "rbegin"};
    if (Keeps.contains(Name))
      return true;
    if (!Adds.contains(Name))
      return false;
    for (const Node *Place : Places) {
      const Node *Element = Context.Nodes.element(Place, Node::AnyElement);
      // What the container held before is known only when it is a variable of this function.
      const auto *Var =
          Place->Kind == NodeKind::Variable ? static_cast<const VarDecl *>(Place->Key) : nullptr;
      bool StartsEmpty = Var && Var->isLocalVarDecl();
      NodeSet Values = S.holds(Element) || !StartsEmpty ? S.load(Element) : NodeSet();
      for (const Expr *Arg : E->arguments())
        if (Context.Types.isHandle(Arg->getType()))
          Values.insert(Eval.objects(Arg));
        else if (Context.Types.classify(Arg->getType()) == TypeClass::Record)
          Values.insert(pairValue(Eval.places(Arg), S)); // insert({key, value})
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
    bind(Context.Nodes.variable(Operator->getParamDecl(Index)),
         Operator->getParamDecl(Index)->getType(), E->getArg(Index + 1), S);
  // What was captured by copy is what it was when the lambda was made, unless it is called right
  // there.
  const Expr *Callee = stripped(E->getArg(0));
  if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(Callee))
    Callee = stripped(Temporary->getSubExpr());
  const Node *Closure = Eval.places(E->getArg(0)).single();
  std::vector<std::pair<const Node *, NodeSet>> Copied;
  for (auto [Capture, Field] :
       llvm::zip_first(Operator->getParent()->captures(), Operator->getParent()->fields()))
    if (Capture.capturesVariable() && Capture.getCaptureKind() == LCK_ByCopy)
      if (const auto *Var = dyn_cast<VarDecl>(Capture.getCapturedVar());
          Var && Context.Types.isHandle(Var->getType())) {
        const Node *Place = Context.Nodes.variable(Var);
        Copied.push_back({Place, S.load(Place)});
        const Node *Kept = Closure ? Context.Nodes.field(Closure, Field) : nullptr;
        if (Kept && S.holds(Kept))
          S.store(Place, S.load(Kept));
        else if (!isa<LambdaExpr>(Callee))
          S.store(Place, Context.Nodes.opaque(E, Place));
      }
  std::optional<std::vector<State>> After = Lambdas.inlineCall(*Operator, S);
  auto Restore = [&](State &Path) {
    for (auto &[Place, Values] : Copied)
      Path.store(Place, Values);
  };
  if (!After) {
    Restore(S);
    return false;
  }
  const Node *Slot = Context.Nodes.returnValue(Operator->getBody());
  for (State &Path : *After) {
    Restore(Path);
    if (Path.holds(Slot) && Context.Types.isHandle(E->getType()))
      result(E, Path.load(Slot), Path);
    Path.erase(Slot);
  }
  part(std::move(*After), S);
  return true;
}

void Transfer::havocArguments(const Expr *E, const FunctionDecl *Callee,
                              llvm::ArrayRef<const Expr *> Args, State &S) {
  for (unsigned Index = 0; Index < Args.size(); ++Index) {
    QualType Param = Callee && Index < Callee->getNumParams()
                         ? Callee->getParamDecl(Index)->getType()
                         : Args[Index]->getType();
    havocArgument(E, Args[Index], Param, S);
  }
}

void Transfer::unknownCall(const Expr *E, const FunctionDecl *Callee,
                           llvm::ArrayRef<const Expr *> Args, State &S) {
  havocArguments(E, Callee, Args, S);
  if (!Callee || !(Callee->isInStdNamespace() || Context.Api.isLibrary(*Callee)))
    Context.CallsUnknown = true;
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
  QualType Pointee =
      Param->isReferenceType() || Param->isPointerType() ? Param->getPointeeType() : Param;
  bool ByReference =
      (Param->isReferenceType() || Param->isPointerType()) && !Pointee.isConstQualified();
  if (ByReference)
    written(Arg, S);
  TypeClass Class = Context.Types.classify(Arg->getType());
  NodeSet Places = Eval.places(Arg);
  switch (Class) {
  case TypeClass::Tensor:
    // Any handle is enough to write the memory behind it.
    endTracking(S.load(Places), S);
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
    // A handle shares its module whether or not it is const; only a const module itself cannot be
    // loaded.
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
  // A function that is handed the global has no need to reach for it; one whose body is seen not to
  // mention it cannot.
  const FunctionDecl *Definition = nullptr;
  bool HasBody = Callee && Callee->hasBody(Definition);
  Evaluator Eval(Context, S);
  NodeSet Handed;
  for (const Expr *Arg : E->arguments())
    if (Context.Types.isHandle(Arg->getType()))
      Handed.insert(Eval.objects(Arg));
  for (const Node *Place : S.globals()) {
    const auto *Var = static_cast<const VarDecl *>(Place->Key);
    bool Unaffected =
        Callee && (Callee->isInStdNamespace() || Context.Api.resolve(Callee).Where != Owner::User);
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
