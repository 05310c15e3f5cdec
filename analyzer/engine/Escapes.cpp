#include "engine/Escapes.h"

#include "engine/Evaluator.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace metasan::analysis {
namespace {

class LambdaUses : public RecursiveASTVisitor<LambdaUses> {
public:
  bool VisitLambdaExpr(LambdaExpr *E) {
    Lambdas.insert(E);
    return true;
  }
  bool VisitVarDecl(VarDecl *Var) {
    if (Var->hasInit())
      if (const LambdaExpr *Lambda = asLambda(Var->getInit())) {
        Visible.insert(Lambda);
        Holders[Var->getCanonicalDecl()] = Lambda;
      }
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *Callee = E->getDirectCallee();
    bool Called =
        isa<CXXOperatorCallExpr>(E) && cast<CXXOperatorCallExpr>(E)->getOperator() == OO_Call;
    bool BuildsEmpty =
        Callee && Callee->getIdentifier() && Callee->getName() == "init_empty_weights";
    if ((Called || BuildsEmpty) && E->getNumArgs()) {
      const Expr *Arg = E->getArg(0);
      if (const LambdaExpr *Lambda = asLambda(Arg))
        Visible.insert(Lambda);
      if (const auto *Ref = dyn_cast<DeclRefExpr>(stripped(Arg)))
        ++Calls[Ref->getDecl()->getCanonicalDecl()];
    }
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    ++Mentions[E->getDecl()->getCanonicalDecl()];
    return true;
  }

  llvm::DenseSet<const ValueDecl *> escaped() {
    for (auto [Holder, Lambda] : Holders)
      if (Mentions.lookup(Holder) != Calls.lookup(Holder))
        Visible.erase(Lambda);
    llvm::DenseSet<const ValueDecl *> Result;
    for (const LambdaExpr *Lambda : Lambdas)
      if (!Visible.contains(Lambda))
        for (const LambdaCapture &Capture : Lambda->captures())
          if (Capture.capturesVariable() && Capture.getCaptureKind() == LCK_ByRef)
            Result.insert(cast<ValueDecl>(Capture.getCapturedVar()->getCanonicalDecl()));
    return Result;
  }

private:
  static const LambdaExpr *asLambda(const Expr *E) {
    E = stripped(E);
    if (const auto *Temporary = dyn_cast_or_null<MaterializeTemporaryExpr>(E))
      E = stripped(Temporary->getSubExpr());
    return dyn_cast_or_null<LambdaExpr>(E);
  }

  llvm::SmallPtrSet<const LambdaExpr *, 4> Lambdas, Visible;
  llvm::DenseMap<const Decl *, const LambdaExpr *> Holders;
  llvm::DenseMap<const Decl *, unsigned> Calls, Mentions;
};

} // namespace

llvm::DenseSet<const ValueDecl *> escapedVariables(const Stmt *Body) {
  LambdaUses Uses;
  Uses.TraverseStmt(const_cast<Stmt *>(Body));
  return Uses.escaped();
}

} // namespace metasan::analysis
