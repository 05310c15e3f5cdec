#include "engine/Transfer.h"

using namespace clang;

namespace metasan::analysis {
namespace {

/// The bool variable a statement gives a value to, with the value.
std::pair<const VarDecl *, const Expr *> boolAssigned(const Stmt *Statement) {
  if (const auto *Decls = dyn_cast<DeclStmt>(Statement); Decls && Decls->isSingleDecl()) {
    if (const auto *Var = dyn_cast<VarDecl>(Decls->getSingleDecl());
        Var && Var->getType()->isBooleanType() && Var->getInit())
      return {Var, Var->getInit()};
  }
  if (const auto *Binary = dyn_cast<BinaryOperator>(Statement);
      Binary && Binary->getOpcode() == BO_Assign && Binary->getLHS()->getType()->isBooleanType())
    if (const auto *Ref = dyn_cast<DeclRefExpr>(Binary->getLHS()->IgnoreParens()))
      return {dyn_cast<VarDecl>(Ref->getDecl()), Binary->getRHS()};
  return {};
}

bool isScopeObject(QualType Type) {
  const CXXRecordDecl *Record = Type->getAsCXXRecordDecl();
  return Record && Record->getIdentifier() && Record->getName() == "InitEmptyWeights";
}

} // namespace

std::vector<State> Transfer::apply(const CFGElement &Element, State S) {
  if (auto Dtor = Element.getAs<CFGAutomaticObjDtor>()) {
    lifetimeEnds(Dtor->getVarDecl(), S);
    return {std::move(S)};
  }
  if (auto Dtor = Element.getAs<CFGTemporaryDtor>()) {
    S.leaveScope(Context.Nodes.temporary(stripped(Dtor->getBindTemporaryExpr()->getSubExpr())));
    return {std::move(S)};
  }
  if (auto Init = Element.getAs<CFGInitializer>()) {
    const CXXCtorInitializer *Initializer = Init->getInitializer();
    if (const FieldDecl *Field = Initializer->getAnyMember()) {
      NodeSet Self = Context.Nodes.self();
      if (Context.Types.classify(cast<CXXRecordDecl>(Field->getParent())) == TypeClass::Module)
        Self = S.load(Self);
      for (const Node *Base : Self)
        bind(Context.Nodes.field(Base, Field), Field->getType(), Initializer->getInit(), S);
    }
    return {std::move(S)};
  }
  auto Statement = Element.getAs<CFGStmt>();
  if (!Statement)
    return {std::move(S)};

  auto [Var, Value] = boolAssigned(Statement->getStmt());
  if (Var) {
    std::optional<Condition> Known = Facts.findVariable(Var);
    std::vector<State> Result;
    if (Known && Branches.tells(S, Value)) {
      for (bool Answer : {true, false})
        for (State &Path : Branches.assume(S, Value, Answer)) {
          // The value may have been computed from the variable's old one.
          Facts.forget(Path, Var);
          Facts.assume(Path, *Known, Answer);
          Result.push_back(std::move(Path));
        }
      return Result;
    }
    Facts.forget(S, Var);
    return {std::move(S)};
  }
  if (const auto *Return = dyn_cast<ReturnStmt>(Statement->getStmt()))
    if (const Expr *Answer = Return->getRetValue();
        Answer && ReturnSlot && Answer->getType()->isBooleanType() && Branches.tells(S, Answer)) {
      std::vector<State> Result;
      for (bool Value : {true, false})
        for (State &Path : Branches.assume(S, Answer, Value)) {
          Path.Facts.set(returnFact(ReturnSlot), Value);
          Result.push_back(std::move(Path));
        }
      return Result;
    }
  Dead = false;
  Others.clear();
  statement(Statement->getStmt(), S);
  std::vector<State> Result = std::move(Others);
  if (!Dead)
    Result.push_back(std::move(S));
  return Result;
}

void Transfer::part(std::vector<State> Paths, State &S) {
  if (Paths.empty()) {
    Dead = true;
    return;
  }
  S = std::move(Paths.back());
  Paths.pop_back();
  std::move(Paths.begin(), Paths.end(), std::back_inserter(Others));
}

void Transfer::take(const Expr *Conditional, const Expr *Side, State &S) {
  if (Context.Types.isHandle(Conditional->getType()))
    S.place(Context.Nodes.temporary(Conditional), Evaluator(Context, S).objects(Side));
}

void Transfer::statement(const Stmt *Statement, State &S) {
  if (const auto *Decls = dyn_cast<DeclStmt>(Statement)) {
    for (const Decl *D : Decls->decls())
      if (const auto *Var = dyn_cast<VarDecl>(D))
        declare(Var, S);
  } else if (const auto *Construct = dyn_cast<CXXConstructExpr>(Statement)) {
    construct(Construct, S);
  } else if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(Statement);
             Operator && Operator->getOperator() == OO_Equal) {
    assignment(Operator, S);
  } else if (const auto *Call = dyn_cast<CallExpr>(Statement)) {
    call(Call, S);
  } else if (const auto *List = dyn_cast<InitListExpr>(Statement)) {
    initList(List, S);
  } else if (const auto *Lambda = dyn_cast<LambdaExpr>(Statement)) {
    capture(Lambda, S);
  } else if (const auto *Delete = dyn_cast<CXXDeleteExpr>(Statement)) {
    for (const Node *Place : Evaluator(Context, S).places(Delete->getArgument()))
      S.leaveScopesWithin(Place);
  } else if (const auto *New = dyn_cast<CXXNewExpr>(Statement)) {
    const Expr *Init = New->hasInitializer() ? New->getInitializer() : nullptr;
    if (Init)
      S.renameScope(Context.Nodes.temporary(stripped(Init)), Context.Nodes.heap(New));
    if (Init && Context.Types.isModule(New->getAllocatedType())) {
      result(New, Evaluator(Context, S).objects(Init), S);
    } else {
      const Node *Place = Context.Nodes.heap(New);
      if (Init)
        bind(Place, New->getAllocatedType(), Init, S);
      result(New, Place, S);
    }
  } else if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(Statement)) {
    if (Context.Types.isHandle(Temporary->getType()))
      S.store(Context.Nodes.temporary(Temporary),
              Evaluator(Context, S).objects(Temporary->getSubExpr()));
  } else if (const auto *Return = dyn_cast<ReturnStmt>(Statement)) {
    if (const Expr *Value = ReturnSlot ? Return->getRetValue() : nullptr) {
      // A reference is the place itself; a pointer denotes what it points to.
      if (Value->isGLValue())
        S.store(ReturnSlot, Evaluator(Context, S).places(Value));
      else
        bind(ReturnSlot, Value->getType(), Value, S);
    }
  } else if (const auto *Binary = dyn_cast<BinaryOperator>(Statement);
             Binary && Binary->isAssignmentOp()) {
    written(Binary->getLHS(), S);
    QualType Type = Binary->getLHS()->getType();
    Evaluator Eval(Context, S);
    if (Type->isPointerType())
      assign(Eval.places(Binary->getLHS()), Eval.places(Binary->getRHS()), S);
    else if (Context.Types.classify(Type) == TypeClass::Device)
      if (const Node *Place = Eval.places(Binary->getLHS()).single())
        S.setDevice(Place, Eval.device(Binary->getRHS()));
  } else if (const auto *Unary = dyn_cast<UnaryOperator>(Statement);
             Unary && Unary->isIncrementDecrementOp()) {
    written(Unary->getSubExpr(), S);
  }
}

void Transfer::written(const Expr *Target, State &S) {
  const Expr *E = stripped(Target);
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    Facts.forget(S, Ref->getDecl());
  else if (const auto *Member = dyn_cast<MemberExpr>(E))
    Facts.forget(S, Member->getMemberDecl());
}

void Transfer::declare(const VarDecl *Var, State &S) {
  Facts.forget(S, Var);
  Facts.learnInitial(S, *Var);
  if (Var->isInitCapture() || !Var->hasInit())
    return;
  // A function's own constant keeps its value from call to call; CFG branches around its
  // initializer.
  const Node *Place = Context.Nodes.variable(Var);
  bind(Place, Var->getType(), Var->getInit(), S);
  if (!Var->isStaticLocal() || !Context.Types.isTensor(Var->getType()))
    return;
  ObjectState Made = S.joinOf(S.load(Place));
  bool ByScope = (S.inScope() && (Made.Bits & Declared)) || (Made.Bits & Ambient);
  const Birth *How = nullptr;
  for (const Node *Object : S.load(Place))
    How = Context.Nodes.birthOf(Object);
  if (ByScope && !(How && How->Kind == BirthKind::MetaDevice))
    scopeIssue(ScopeIssue::StaticTable, Var->getInit(), nullptr, Var, S);
}

void Transfer::bind(const Node *Place, QualType Type, const Expr *Init, State &S) {
  Evaluator Eval(Context, S);
  if (Type->isReferenceType()) {
    if (Place->Kind == NodeKind::Variable)
      S.store(Context.Nodes.reference(static_cast<const VarDecl *>(Place->Key)), Eval.places(Init));
    return;
  }
  TypeClass Class = Context.Types.classify(Type);
  if (Type->isPointerType()) {
    NodeSet Targets = Eval.places(Init);
    if (Init->IgnoreParens()->getType()->isPointerType() &&
        Init->IgnoreParenImpCasts()->getType()->isArrayType()) {
      NodeSet Elements;
      for (const Node *Array : Targets)
        Elements.insert(Context.Nodes.element(Array, Node::AnyElement));
      Targets = Elements;
    }
    S.store(Place, Targets);
    return;
  }
  switch (Class) {
  case TypeClass::Tensor:
  case TypeClass::Module:
    S.store(Place, Eval.objects(Init));
    return;
  case TypeClass::Device:
    S.setDevice(Place, Eval.device(Init));
    return;
  case TypeClass::Scope: {
    const Expr *Value = stripped(Init);
    if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(Value))
      Value = stripped(Temporary->getSubExpr());
    S.renameScope(Context.Nodes.temporary(Value), Place);
    if (isScopeObject(Type))
      return;
    if (const auto *Make = dyn_cast<CallExpr>(Value);
        Make && Context.Api.resolve(Make->getDirectCallee()).What == Effect::MakeObject)
      S.enterScope(Place);
    else if (const auto *Construct = dyn_cast<CXXConstructExpr>(Value);
             Construct && Construct->getNumArgs()) {
      const Expr *Arg = stripped(Construct->getArg(0));
      if (Context.Types.classify(Arg->getType()) == TypeClass::Scope)
        for (const Node *From : Eval.places(Arg))
          S.renameScope(From, Place);
      if (isa<CXXNewExpr>(Arg) ||
          Arg->getType().getAsString().find("in_place") != std::string::npos)
        S.enterScope(Place);
    }
    return;
  }
  default:
    break;
  }
  if (Class == TypeClass::Record || Class == TypeClass::Container || Type->isArrayType()) {
    NodeSet Sources = Eval.places(Init);
    if (const Node *Source = Sources.single(); Source && !Source->isObject()) {
      if (Source->Kind == NodeKind::Element && isa<CallExpr>(stripped(Init)))
        return S.store(Place, Source); // an iterator
      if (S.holds(Source) && Class == TypeClass::Record)
        S.place(Place, S.load(Source)); // what points to a record
      S.copyWithin(Place, Source);
      for (const Node *Scope : S.scopesWithin(Source))
        if (Scope->Kind == NodeKind::Field && Scope->Base == Source)
          S.renameScope(Scope,
                        Context.Nodes.field(Place, static_cast<const FieldDecl *>(Scope->Key)));
    }
  }
}

void Transfer::assign(const NodeSet &Places, const NodeSet &Values, State &S) {
  // Storing to an element by an unknown number is how a loop fills a container: afterwards it holds
  // what was stored.
  if (const Node *Only = Places.single()) {
    if (Only->Kind == NodeKind::Element && Only->Index == Node::AnyElement)
      S.eraseElements(Only->Base);
    return S.store(Only, Values);
  }
  for (const Node *Place : Places) {
    NodeSet Either = S.load(Place);
    Either.insert(Values);
    S.store(Place, Either);
  }
}

void Transfer::assignment(const CXXOperatorCallExpr *E, State &S) {
  Evaluator Eval(Context, S);
  const Expr *Target = E->getArg(0), *Value = E->getArg(1);
  written(Target, S);
  NodeSet Places = Eval.places(Target);
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(E->getDirectCallee());
  switch (Context.Types.classify(Target->getType())) {
  case TypeClass::Tensor:
    // Assigning to a temporary ("t[0] = x") copies data into what it refers to, and changes no
    // state.
    if (Method && Method->getRefQualifier() == RQ_RValue)
      return;
    [[fallthrough]];
  case TypeClass::Module:
    if (Context.Types.isHandle(Value->getType()))
      return assign(Places, Eval.objects(Value), S);
    return assign(Places, Context.Nodes.opaque(E), S);
  case TypeClass::Device:
    if (const Node *Place = Places.single())
      S.setDevice(Place, Eval.device(Value));
    return;
  case TypeClass::Scope:
    if (const Node *Place = Places.single()) {
      S.leaveScope(Place);
      bind(Place, Target->getType(), Value, S);
    }
    return;
  case TypeClass::Record:
  case TypeClass::Container: {
    const Node *Place = Places.single(), *Source = Eval.places(Value).single();
    if (Place && Source && Method && !Source->isObject() &&
        (Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator()))
      return S.copyWithin(Place, Source);
    for (const Node *Any : Places)
      S.forgetWithin(Any, E);
    return;
  }
  case TypeClass::Other:
    return;
  }
}

void Transfer::initList(const InitListExpr *E, State &S) {
  if (!E->isSemanticForm() && E->getSemanticForm())
    E = E->getSemanticForm();
  const Node *Place = Context.Nodes.temporary(E);
  if (const CXXRecordDecl *Record = E->getType()->getAsCXXRecordDecl();
      Record && Record->isAggregate()) {
    unsigned Index = Record->getNumBases();
    for (const FieldDecl *Field : Record->fields()) {
      if (Field->isUnnamedBitField() || Index >= E->getNumInits())
        continue;
      bind(Context.Nodes.field(Place, Field), Field->getType(), E->getInit(Index++), S);
    }
  } else if (E->getType()->isArrayType()) {
    QualType ElementType = E->getType()->castAsArrayTypeUnsafe()->getElementType();
    for (unsigned Index = 0; Index < E->getNumInits(); ++Index)
      bind(Context.Nodes.element(Place, Index), ElementType, E->getInit(Index), S);
  }
}

void Transfer::capture(const LambdaExpr *E, State &S) {
  const Node *Closure = Context.Nodes.temporary(E);
  for (auto [Capture, Field] : llvm::zip_first(E->captures(), E->getLambdaClass()->fields()))
    if (Capture.capturesVariable() && Capture.getCaptureKind() == LCK_ByCopy)
      if (const auto *Var = dyn_cast<VarDecl>(Capture.getCapturedVar());
          Var && Context.Types.isHandle(Var->getType())) {
        NodeSet Values = Var->isInitCapture() ? Evaluator(Context, S).objects(Var->getInit())
                                              : S.load(Context.Nodes.variable(Var));
        S.store(Context.Nodes.field(Closure, Field), Values);
      }
}

Birth birthInScope(const Stmt *Site, const State &S) {
  Birth Result{BirthKind::Scope, Site};
  const Node *Scope = S.innermostScope();
  if (!Scope)
    return {BirthKind::Unknown, Site};
  if (Scope->Kind == NodeKind::Variable)
    Result.Scope = static_cast<const VarDecl *>(Scope->Key);
  else if (Scope->Kind == NodeKind::Temporary &&
           isa<CallExpr>(static_cast<const Expr *>(Scope->Key)))
    Result.Kind = BirthKind::BuildEmpty;
  return Result;
}

void Transfer::result(const Expr *E, NodeSet Values, State &S) {
  S.store(Context.Nodes.temporary(E), std::move(Values));
}

void Transfer::createdResult(const Expr *E, StateSet Bits, Birth How, State &S, bool Replayable) {
  const Node *Object = Context.Nodes.created(E);
  S.setState(Object, Bits, Replayable);
  if (Bits & (EmptyBits | Uninitialized | AtEntry))
    Context.Nodes.recordBirth(Object, How);
  result(E, Object, S);
}

void Transfer::construction(const Expr *E, TypeClass Class, State &S) {
  StateSet Bits = S.creationBits();
  if (!S.inScope()) {
    // A class of the user's own may take the device it is built on.
    if (const auto *Construct = dyn_cast<CXXConstructExpr>(E))
      for (const Expr *Arg : Construct->arguments())
        if (Context.Types.classify(Arg->getType()) == TypeClass::Device)
          Bits = Unknown;
    if (Class == TypeClass::Tensor)
      Bits = Unknown;
  }
  createdResult(E, Bits, birthInScope(E, S), S);
}

void Transfer::construct(const CXXConstructExpr *E, State &S) {
  Evaluator Eval(Context, S);
  const CXXConstructorDecl *Constructor = E->getConstructor();
  TypeClass Class = Context.Types.classify(E->getType());
  const Expr *First = E->getNumArgs() ? E->getArg(0) : nullptr;
  bool FromSame = First && Context.Types.classify(First->getType()) == Class;
  switch (Class) {
  case TypeClass::Scope:
    if (isScopeObject(E->getType()))
      S.enterScope(Context.Nodes.temporary(E));
    return;
  case TypeClass::Tensor:
    result(E, FromSame ? Eval.objects(First) : NodeSet(Context.Nodes.opaque(E)), S);
    return;
  case TypeClass::Module: {
    bool IsHandle = !Context.Types.isModuleClass(E->getType());
    if (FromSame && (IsHandle || Constructor->isCopyOrMoveConstructor())) {
      // A holder's constructor forwards its arguments to the module's: another module among them is
      // an argument.
      QualType From = First->getType().getNonReferenceType();
      bool SameModule = Constructor->isCopyOrMoveConstructor() || From->isPointerType() ||
                        Constructor->getNumParams() == 1;
      if (SameModule)
        return result(E, Eval.objects(First), S);
    }
    if (First && First->getType()->isNullPtrType())
      return result(E, Context.Nodes.opaque(E), S);
    const CXXRecordDecl *Record = E->getType()->getAsCXXRecordDecl();
    if (IsHandle && Record && Record->isInStdNamespace())
      return result(E, Context.Nodes.opaque(E), S);
    llvm::ArrayRef<const Expr *> Args(E->getArgs(), E->getNumArgs());
    construction(E, Class, S);
    if (E->getConstructionKind() != CXXConstructionKind::Complete) {
      // A base is part of the object that is being built.
      knownCall(E, Constructor, {nullptr, S.load(Context.Nodes.self()), Args}, S);
    } else if (IsHandle) {
      havocArguments(E, Constructor, Args, S);
      constructWithSummary(E, Context.Types.heldModule(E->getType()), Context.Nodes.created(E),
                           Args, S);
    } else if (!knownCall(E, Constructor, {nullptr, NodeSet(Context.Nodes.created(E)), Args}, S)) {
      havocArguments(E, Constructor, Args, S);
    }
    return;
  }
  case TypeClass::Record:
  case TypeClass::Container: {
    const Node *Place = Context.Nodes.temporary(E);
    NodeSet Source = First && FromSame ? Eval.places(First) : NodeSet();
    if (Constructor->isCopyOrMoveConstructor() && Source.single() && !Source.single()->isObject()) {
      if (S.holds(Source.single()))
        S.store(Place, S.load(Source.single())); // an iterator
      return S.copyWithin(Place, Source.single());
    }
    if (const auto *List = First ? dyn_cast<CXXStdInitializerListExpr>(stripped(First)) : nullptr) {
      const Expr *Array = stripped(List->getSubExpr());
      if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(Array))
        Array = stripped(Temporary->getSubExpr());
      return S.copyWithin(Place, Context.Nodes.temporary(Array));
    }
    // std::pair and std::tuple keep their arguments in order.
    const CXXRecordDecl *Record = Constructor->getParent();
    if (Record->isInStdNamespace() &&
        (Record->getName() == "pair" || Record->getName() == "tuple")) {
      unsigned Index = 0;
      for (const Expr *Arg : E->arguments()) {
        if (Context.Types.isHandle(Arg->getType()))
          S.store(Context.Nodes.element(Place, Index), Eval.objects(Arg));
        ++Index;
      }
      return;
    }
    break;
  }
  default:
    break;
  }
  llvm::ArrayRef<const Expr *> Args(E->getArgs(), E->getNumArgs());
  NodeSet Self = Context.Nodes.temporary(E);
  if (E->getConstructionKind() != CXXConstructionKind::Complete)
    Self = Context.Nodes.self();
  if (Class == TypeClass::Record && knownCall(E, Constructor, {nullptr, Self, Args}, S))
    return;
  havocArguments(E, Constructor, Args, S);
  if (Class == TypeClass::Record)
    openMemberScopes(Context.Nodes.temporary(E), E->getType(), S);
}

void Transfer::openMemberScopes(const Node *Place, QualType Type, State &S) {
  const CXXRecordDecl *Record = Type->getAsCXXRecordDecl();
  if (!Record || !Record->hasDefinition() || Record->isInStdNamespace())
    return;
  for (const FieldDecl *Field : Record->getDefinition()->fields())
    if (isScopeObject(Field->getType()))
      S.enterScope(Context.Nodes.field(Place, Field));
}

void Transfer::lifetimeEnds(const VarDecl *Var, State &S) {
  S.leaveScopesWithin(Context.Nodes.variable(Var));
  S.erase(Context.Nodes.variable(Var));
}

void Transfer::needsData(Use What, State &S) {
  if (What.Operation.empty())
    if (const auto *Call = dyn_cast<CallExpr>(What.Site); Call && Call->getDirectCallee())
      What.Operation = Call->getDirectCallee()->getNameAsString();
  What.Scope = S.innermostScope();
  if (Sink)
    Sink->reached(What, S);
  for (const Node *Object : What.Objects)
    if (Object->isObject() && (S.stateOf(Object).Bits & EmptyBits & What.Bad))
      S.markUsed(Object);
}

void Transfer::needsData(Rule Violates, const Expr *Site, const Expr *Subject, State &S) {
  needsData({.Violates = Violates,
             .Site = Site,
             .Subject = Subject,
             .Objects = Evaluator(Context, S).objects(Subject)},
            S);
}

NodeSet Transfer::missingIn(const NodeSet &Objects, const State &S) {
  NodeSet Missing;
  for (const Node *Object : Objects)
    if (Object->isObject() && !isEmpty(S.stateOf(Object).Bits))
      Missing.insert(S.emptyParts(Object));
  return Missing.empty() ? Objects : Missing;
}

void Transfer::needsAllOf(Rule Violates, const Expr *Site, const Expr *Subject, State &S) {
  Evaluator Eval(Context, S);
  NodeSet Objects;
  if (Context.Types.classify(Subject->getType()) == TypeClass::Container)
    Objects = S.load(Eval.elements(Subject));
  else
    Objects = Eval.objects(Subject);
  needsData({.Violates = Violates,
             .Site = Site,
             .Subject = Subject,
             .Objects = missingIn(Objects, S),
             .WholeModule = true},
            S);
}

} // namespace metasan::analysis
