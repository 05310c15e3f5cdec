#include "engine/Facts.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace metasan::analysis {
namespace {

const Expr *strip(const Expr *E) {
  return E ? E->IgnoreParenCasts()->IgnoreUnlessSpelledInSource() : nullptr;
}

/// Collects what an expression mentions; false when evaluating it twice need not give the same
/// value.
bool mentions(const Expr *E, llvm::DenseSet<const ValueDecl *> &Decls, bool &HasCall) {
  E = strip(E);
  if (!E)
    return false;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    Decls.insert(cast<ValueDecl>(Ref->getDecl()->getCanonicalDecl()));
    return true;
  }
  if (const auto *Member = dyn_cast<MemberExpr>(E)) {
    if (isa<FieldDecl>(Member->getMemberDecl()))
      Decls.insert(cast<ValueDecl>(Member->getMemberDecl()->getCanonicalDecl()));
    return mentions(Member->getBase(), Decls, HasCall);
  }
  if (isa<CXXThisExpr, IntegerLiteral, CharacterLiteral, CXXBoolLiteralExpr, FloatingLiteral,
          StringLiteral, CXXNullPtrLiteralExpr, CXXDefaultArgExpr>(E))
    return true;
  if (const auto *Unary = dyn_cast<UnaryOperator>(E))
    return !Unary->isIncrementDecrementOp() && mentions(Unary->getSubExpr(), Decls, HasCall);
  if (const auto *Binary = dyn_cast<BinaryOperator>(E))
    return !Binary->isAssignmentOp() && mentions(Binary->getLHS(), Decls, HasCall) &&
           mentions(Binary->getRHS(), Decls, HasCall);
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E))
    return mentions(Subscript->getBase(), Decls, HasCall) &&
           mentions(Subscript->getIdx(), Decls, HasCall);
  if (const auto *Call = dyn_cast<CallExpr>(E)) {
    HasCall = true;
    if (const auto *Method = dyn_cast<CXXMemberCallExpr>(Call))
      if (!mentions(Method->getImplicitObjectArgument(), Decls, HasCall))
        return false;
    return llvm::all_of(Call->arguments(),
                        [&](const Expr *Arg) { return mentions(Arg, Decls, HasCall); });
  }
  return false;
}

std::optional<std::int64_t> valueOf(const Expr *E, const ASTContext &Context) {
  Expr::EvalResult Value;
  if (!E || E->isValueDependent() || !E->getType()->isIntegralOrEnumerationType() ||
      !E->EvaluateAsInt(Value, Context))
    return std::nullopt;
  return Value.Val.getInt().getExtValue();
}

/// The constant a counter starts from.
std::optional<std::int64_t> startOf(const VarDecl &Var, const ASTContext &Context) {
  return Var.getType()->isIntegerType() && !Var.getType()->isBooleanType() &&
                 !Var.getType().isConstQualified()
             ? valueOf(Var.getInit(), Context)
             : std::nullopt;
}

llvm::FoldingSetNodeID profile(const Expr *E, const ASTContext &Context) {
  llvm::FoldingSetNodeID Result;
  if (const auto *Ref = dyn_cast<DeclRefExpr>(strip(E))) {
    Result.AddPointer(Ref->getDecl()->getCanonicalDecl());
    return Result;
  }
  strip(E)->Profile(Result, Context, /*Canonical=*/true);
  return Result;
}

} // namespace

FactTable::Shape FactTable::shapeOf(const Expr *E) const {
  Shape Result;
  E = strip(E);
  while (const auto *Not = dyn_cast_or_null<UnaryOperator>(E)) {
    if (Not->getOpcode() != UO_LNot)
      break;
    Result.Negated = !Result.Negated;
    E = strip(Not->getSubExpr());
  }
  Result.Operand = E;
  const auto *Binary = dyn_cast_or_null<BinaryOperator>(E);
  if (!Binary || !Binary->isComparisonOp() || Binary->getOpcode() == BO_Cmp)
    return Result;
  const Expr *Left = strip(Binary->getLHS()), *Right = strip(Binary->getRHS());
  if (Binary->isRelationalOp()) {
    // All four are "a > b", with the sides exchanged or the answer turned round.
    bool Exchanged = Binary->getOpcode() == BO_LT || Binary->getOpcode() == BO_GE;
    Result.Operand = Exchanged ? Right : Left;
    Result.Smaller = Exchanged ? Left : Right;
    if (Binary->getOpcode() == BO_LE || Binary->getOpcode() == BO_GE)
      Result.Negated = !Result.Negated;
    return Result;
  }
  auto IsConstant = [&](const Expr *Side) {
    return !Side->isValueDependent() &&
           (Side->isNullPointerConstant(Context, Expr::NPC_ValueDependentIsNotNull) ||
            (Side->getType()->isIntegralOrEnumerationType() && Side->isEvaluatable(Context)));
  };
  if (IsConstant(Left))
    std::swap(Left, Right);
  if (!IsConstant(Right))
    return Result;
  if (Binary->getOpcode() == BO_NE)
    Result.Negated = !Result.Negated;
  Result.Operand = Left;
  if (Right->isNullPointerConstant(Context, Expr::NPC_ValueDependentIsNotNull) &&
      Left->getType()->isAnyPointerType())
    Result.Negated = !Result.Negated; // "p == nullptr" is "!p"
  else
    Result.Constant = Right;
  return Result;
}

bool FactTable::describe(const Shape &S, Entry &Result) const {
  if (!S.Operand || S.Operand->isValueDependent() ||
      !mentions(S.Operand, Result.Mentions, Result.HasCall))
    return false;
  Result.Operand = profile(S.Operand, Context);
  if (S.Smaller) {
    if (S.Smaller->isValueDependent() || !mentions(S.Smaller, Result.Mentions, Result.HasCall))
      return false;
    Result.Operand.AddInteger(BO_GT);
    Result.Operand.AddNodeID(profile(S.Smaller, Context));
  }
  auto Counter = [&](const Expr *E) {
    const auto *Ref = dyn_cast_or_null<DeclRefExpr>(E);
    const auto *Var = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return Var && Var->isLocalVarDecl() && startOf(*Var, Context) ? Var->getCanonicalDecl()
                                                                  : nullptr;
  };
  if (S.Smaller) {
    if ((Result.Above = valueOf(S.Smaller, Context)))
      Result.Counter = Counter(S.Operand);
    else if ((Result.Below = valueOf(S.Operand, Context)))
      Result.Counter = Counter(S.Smaller);
  } else {
    Result.Counter = Counter(S.Operand);
  }
  if (S.Constant) {
    Expr::EvalResult Value;
    Result.Constant.emplace();
    if (S.Constant->EvaluateAsInt(Value, Context))
      Result.Constant->AddInteger(*(Result.Equals = Value.Val.getInt().getExtValue()));
    else
      Result.Constant = profile(S.Constant, Context);
  }
  return !Result.Mentions.empty();
}

std::optional<Condition> FactTable::lookup(const Shape &S) const {
  Entry Wanted;
  if (Entries.empty() || !describe(S, Wanted))
    return std::nullopt;
  auto Candidates = ByOperand.find(Wanted.Operand.ComputeHash());
  if (Candidates != ByOperand.end())
    for (unsigned Index : Candidates->second)
      if (Entries[Index].Operand == Wanted.Operand && Entries[Index].Constant == Wanted.Constant)
        return Condition{Index, S.Negated};
  return std::nullopt;
}

void FactTable::count(const Shape &S, const void *Site, bool OfLoop) {
  if (std::optional<Condition> Known = lookup(S)) {
    Entries[Known->Fact].Sites.insert(Site);
    Entries[Known->Fact].OfLoop &= OfLoop;
    return;
  }
  Entry New;
  if (!describe(S, New))
    return;
  New.Sites.insert(Site);
  New.OfLoop = OfLoop;
  add(std::move(New));
}

void FactTable::add(Entry New) {
  ByOperand[New.Operand.ComputeHash()].push_back(Entries.size());
  Entries.push_back(std::move(New));
}

/// Finds every expression that decides a branch.
class ConditionCollector : public RecursiveASTVisitor<ConditionCollector> {
public:
  explicit ConditionCollector(FactTable &Table) : Table(Table) {}

  bool VisitIfStmt(IfStmt *S) { return test(S->getCond()); }
  bool VisitWhileStmt(WhileStmt *S) { return test(S->getCond(), /*OfLoop=*/true); }
  bool VisitDoStmt(DoStmt *S) { return test(S->getCond(), /*OfLoop=*/true); }
  bool VisitForStmt(ForStmt *S) { return test(S->getCond(), /*OfLoop=*/true); }
  bool VisitConditionalOperator(ConditionalOperator *E) { return test(E->getCond()); }
  bool VisitSwitchStmt(SwitchStmt *S) {
    for (const SwitchCase *Case = S->getSwitchCaseList(); Case; Case = Case->getNextSwitchCase())
      if (const auto *Value = dyn_cast<CaseStmt>(Case))
        Table.count({.Operand = strip(S->getCond()), .Constant = Value->getLHS()}, S);
    return true;
  }
  // A bool that is set from a condition and tested later is tested twice.
  bool VisitVarDecl(VarDecl *Var) {
    if (!Var->getType()->isBooleanType() || !Var->getInit())
      return true;
    Table.countVariable(*Var);
    return test(Var->getInit());
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->getOpcode() == BO_Assign && E->getLHS()->getType()->isBooleanType())
      return test(E->getLHS()) && test(E->getRHS());
    return true;
  }

private:
  bool test(const Expr *E, bool OfLoop = false) {
    E = strip(E);
    if (const auto *Binary = dyn_cast_or_null<BinaryOperator>(E); Binary && Binary->isLogicalOp())
      return test(Binary->getLHS(), OfLoop) && test(Binary->getRHS(), OfLoop);
    if (E)
      Table.count(Table.shapeOf(E), E, OfLoop);
    return true;
  }

  FactTable &Table;
};

void FactTable::countVariable(const VarDecl &Var) {
  if (std::optional<Condition> Known = findVariable(&Var)) {
    Entries[Known->Fact].Sites.insert(&Var);
    return;
  }
  Entry New;
  New.Operand.AddPointer(Var.getCanonicalDecl());
  New.Mentions.insert(Var.getCanonicalDecl());
  New.Sites.insert(&Var);
  add(std::move(New));
}

void FactTable::collect(const FunctionDecl &Function) {
  ConditionCollector(*this).TraverseStmt(Function.getBody());
  constexpr unsigned MaxParameters = 3;
  unsigned Parameters = 0;
  for (const ParmVarDecl *Param : Function.parameters())
    if (Param->getType()->isBooleanType() && Parameters < MaxParameters)
      if (std::optional<Condition> Known = findVariable(Param)) {
        Entries[Known->Fact].Parameter = Param->getFunctionScopeIndex();
        ++Parameters;
      }
  // "mode == A" and "mode == B" are one condition to keep track of: they exclude each other.
  auto TestedAgain = [&](const Entry &Candidate) {
    llvm::SmallPtrSet<const void *, 4> Sites;
    for (unsigned Index : ByOperand.find(Candidate.Operand.ComputeHash())->second)
      if (const Entry &Other = Entries[Index];
          Other.Operand == Candidate.Operand &&
          Other.Constant.has_value() == Candidate.Constant.has_value())
        Sites.insert(Other.Sites.begin(), Other.Sites.end());
    return Sites.size() >= 2;
  };
  std::vector<Entry> Kept;
  for (const Entry &Candidate : Entries) {
    // The loop's own condition on its counter says nothing that is asked again.
    bool FirstRound = Candidate.Counter && !Candidate.OfLoop;
    if (Candidate.Parameter || FirstRound || TestedAgain(Candidate))
      Kept.push_back(Candidate);
  }
  Entries = std::move(Kept);
  ByOperand.clear();
  for (unsigned Index = 0; Index < Entries.size(); ++Index)
    ByOperand[Entries[Index].Operand.ComputeHash()].push_back(Index);
}

std::vector<std::pair<unsigned, bool>> FactTable::parameterValues(const State &S) const {
  std::vector<std::pair<unsigned, bool>> Result;
  for (auto [Fact, Value] : S.Facts)
    if (Fact < Entries.size() && Entries[Fact].Parameter)
      Result.push_back({*Entries[Fact].Parameter, Value});
  return Result;
}

std::optional<Condition> FactTable::find(const Expr *E) const { return lookup(shapeOf(E)); }

std::optional<Condition> FactTable::findCase(const Expr *Selector, const Expr *Value) const {
  return lookup({.Operand = strip(Selector), .Constant = Value});
}

std::optional<Condition> FactTable::findVariable(const VarDecl *Var) const {
  llvm::FoldingSetNodeID Wanted;
  Wanted.AddPointer(Var->getCanonicalDecl());
  auto Candidates = ByOperand.find(Wanted.ComputeHash());
  if (Candidates != ByOperand.end())
    for (unsigned Index : Candidates->second)
      if (!Entries[Index].Constant && Entries[Index].Operand == Wanted)
        return Condition{Index, false};
  return std::nullopt;
}

bool FactTable::assume(State &S, Condition C, bool Value) const {
  Value ^= C.Negated;
  if (std::optional<bool> Known = S.Facts.find(C.Fact))
    return *Known == Value;
  S.Facts.set(C.Fact, Value);
  const Entry &This = Entries[C.Fact];
  if (Value && This.Constant)
    for (unsigned Index : ByOperand.find(This.Operand.ComputeHash())->second)
      if (Index != C.Fact && Entries[Index].Constant && Entries[Index].Operand == This.Operand)
        S.Facts.set(Index, false);
  return true;
}

void FactTable::learnInitial(State &S, const VarDecl &Var) const {
  for (unsigned Index = 0; Index < Entries.size(); ++Index) {
    const Entry &Known = Entries[Index];
    if (Known.Counter != Var.getCanonicalDecl())
      continue;
    std::int64_t Start = *startOf(Var, Context);
    if (Known.Equals)
      S.Facts.set(Index, Start == *Known.Equals);
    else if (Known.Above)
      S.Facts.set(Index, Start > *Known.Above);
    else if (Known.Below)
      S.Facts.set(Index, Start < *Known.Below);
    else if (!Known.Constant)
      S.Facts.set(Index, Start != 0);
  }
}

void FactTable::forget(State &S, const ValueDecl *Written) const {
  Written = cast<ValueDecl>(Written->getCanonicalDecl());
  S.Facts.eraseIf([&](const FactSet::Fact &Fact) {
    return Fact.first < Entries.size() && Entries[Fact.first].Mentions.contains(Written);
  });
}

void FactTable::forgetCalls(State &S) const {
  S.Facts.eraseIf([&](const FactSet::Fact &Fact) {
    return Fact.first < Entries.size() && Entries[Fact.first].HasCall;
  });
}

} // namespace metasan::analysis
