#include "findings/Spelling.h"

#include "engine/Evaluator.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace metasan::analysis {
namespace {

/// The handle inside "holder.ptr()", "pointer.get()" and the like.
const Expr *handleOf(const Expr *E) {
  for (;;) {
    const Expr *Inner = spelled(E);
    if (const auto *Call = dyn_cast<CXXMemberCallExpr>(Inner);
        Call && Call->getMethodDecl() && Call->getMethodDecl()->getIdentifier() &&
        Call->getNumArgs() == 0 &&
        (Call->getMethodDecl()->getName() == "ptr" || Call->getMethodDecl()->getName() == "get"))
      Inner = Call->getImplicitObjectArgument();
    if (Inner == E)
      return E;
    E = Inner;
  }
}

} // namespace

const Expr *spelled(const Expr *E) {
  for (;;) {
    const Expr *Inner = stripped(E);
    if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Inner))
      Inner = Cast->getSubExpr();
    else if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(Inner))
      Inner = Temporary->getSubExpr();
    else if (const auto *Construct = dyn_cast<CXXConstructExpr>(Inner);
             Construct && Construct->getNumArgs() >= 1 && !isa<CXXTemporaryObjectExpr>(Construct))
      Inner = Construct->getArg(0);
    else if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(Inner);
             Operator && Operator->getOperator() == OO_Arrow)
      Inner = Operator->getArg(0);
    else if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(Inner);
             Operator && Operator->getOperator() == OO_Star && Operator->getNumArgs() == 1)
      Inner = Operator->getArg(0);
    else if (const auto *Unary = dyn_cast<UnaryOperator>(Inner);
             Unary && Unary->getOpcode() == UO_Deref)
      Inner = Unary->getSubExpr();
    if (Inner == E)
      return E;
    E = Inner;
  }
}

std::string textOf(SourceRange Range, const ASTContext &AST) {
  const SourceManager &Sources = AST.getSourceManager();
  CharSourceRange InFile =
      Lexer::makeFileCharRange(CharSourceRange::getTokenRange(Range), Sources, AST.getLangOpts());
  return Lexer::getSourceText(InFile, Sources, AST.getLangOpts()).str();
}

bool isModule(const Expr *E, TypeOracle &Types) {
  return E && (Types.isModule(E->getType()) || Types.isModule(spelled(E)->getType()));
}

bool isGiven(const CallExpr &E, unsigned Index) {
  return E.getNumArgs() > Index && !isa<CXXDefaultArgExpr>(E.getArg(Index));
}

bool isSameHandle(const Expr *A, const Expr *B) {
  A = handleOf(A);
  B = handleOf(B);
  if (isa<CXXThisExpr>(A))
    return isa<CXXThisExpr>(B);
  const auto *RefA = dyn_cast<DeclRefExpr>(A), *RefB = dyn_cast<DeclRefExpr>(B);
  if (RefA || RefB)
    return RefA && RefB && RefA->getDecl() == RefB->getDecl();
  const auto *MemberA = dyn_cast<MemberExpr>(A), *MemberB = dyn_cast<MemberExpr>(B);
  return MemberA && MemberB && MemberA->getMemberDecl() == MemberB->getMemberDecl() &&
         isSameHandle(MemberA->getBase(), MemberB->getBase());
}

const ValueDecl *rootVariable(const Expr *E) {
  E = handleOf(E);
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    return Ref->getDecl();
  const auto *Member = dyn_cast<MemberExpr>(E);
  if (!Member)
    return nullptr;
  return isa<CXXThisExpr>(handleOf(Member->getBase())) ? Member->getMemberDecl()
                                                       : rootVariable(Member->getBase());
}

bool needsDereference(QualType Handle) {
  const CXXRecordDecl *Record = Handle->getAsCXXRecordDecl();
  return Handle->isPointerType() ||
         (Record && Record->getIdentifier() &&
          (Record->getName() == "unique_ptr" || Record->getName() == "optional"));
}

std::string moduleArgument(const Expr *Object, const ASTContext &AST) {
  Object = Object->IgnoreParenImpCasts();
  if (isa<CXXThisExpr>(Object))
    return "*this";
  if (const auto *Arrow = dyn_cast<CXXOperatorCallExpr>(Object);
      Arrow && Arrow->getOperator() == OO_Arrow)
    Object = Arrow->getArg(0)->IgnoreParenImpCasts();
  std::string Text = textOf(Object->getSourceRange(), AST);
  if (Text.empty() || !needsDereference(Object->getType()))
    return Text;
  bool IsPrimary = isa<DeclRefExpr, MemberExpr, ArraySubscriptExpr>(Object) ||
                   (isa<CallExpr>(Object) && !isa<CXXOperatorCallExpr>(Object));
  return IsPrimary ? "*" + Text : "*(" + Text + ")";
}

bool isFreeOfEffects(const Expr *E) {
  if (isa<CXXDefaultArgExpr>(E))
    return true;
  E = stripped(E);
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(E))
    return isFreeOfEffects(Cast->getSubExpr());
  if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
    return isFreeOfEffects(Temporary->getSubExpr());
  if (const auto *Unary = dyn_cast<UnaryOperator>(E))
    return !Unary->isIncrementDecrementOp() && isFreeOfEffects(Unary->getSubExpr());
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(E))
    return llvm::all_of(Construct->arguments(), isFreeOfEffects);
  if (const auto *List = dyn_cast<InitListExpr>(E))
    return llvm::all_of(List->inits(), isFreeOfEffects);
  if (const auto *Member = dyn_cast<MemberExpr>(E))
    return isFreeOfEffects(Member->getBase());
  if (const Expr *Handle = handleOf(E); Handle != E)
    return isFreeOfEffects(Handle);
  return isa<DeclRefExpr, CXXThisExpr, clang::StringLiteral, IntegerLiteral, CXXBoolLiteralExpr,
             CharacterLiteral>(E);
}

} // namespace metasan::analysis
