#include "findings/UnnamedScopes.h"

#include "engine/Evaluator.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace metasan::analysis {
namespace {

class UnnamedScopeSearch : public RecursiveASTVisitor<UnnamedScopeSearch> {
public:
  UnnamedScopeSearch(const FunctionDecl &Function, TypeOracle &Types,
                     std::vector<Diagnosis> &Findings)
      : Function(Function), Types(Types), Findings(Findings) {}

  bool TraverseLambdaExpr(LambdaExpr *) { return true; }
  bool VisitCompoundStmt(CompoundStmt *S) {
    for (const Stmt *Child : S->body())
      check(Child);
    return true;
  }
  bool VisitIfStmt(IfStmt *S) {
    check(S->getThen());
    return check(S->getElse());
  }
  bool VisitForStmt(ForStmt *S) { return check(S->getBody()); }
  bool VisitWhileStmt(WhileStmt *S) { return check(S->getBody()); }
  bool VisitDoStmt(DoStmt *S) { return check(S->getBody()); }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) { return check(S->getBody()); }

private:
  bool check(const Stmt *S) {
    if (const auto *E = dyn_cast_or_null<Expr>(S))
      check(*E->IgnoreImplicit());
    return true;
  }
  void check(const Expr &Statement) {
    const Expr *E = stripped(&Statement);
    if (!isa<CXXConstructExpr, InitListExpr>(E) || !E->isPRValue() ||
        Types.classify(E->getType()) != TypeClass::Scope)
      return;
    Diagnosis D;
    D.Violates = Rule::ScopeMisuse;
    D.Certainty = Confidence::Definite;
    D.Where = E->getExprLoc();
    D.Range = E->getSourceRange();
    D.Message = std::string("this 'InitEmptyWeights' object has no name and ends here: ") +
                "what is built after it is not empty";
    D.Site = &Statement;
    D.Function = &Function;
    Findings.push_back(std::move(D));
  }

  const FunctionDecl &Function;
  TypeOracle &Types;
  std::vector<Diagnosis> &Findings;
};

} // namespace

void findUnnamedScopes(const FunctionDecl &Function, TypeOracle &Types,
                       std::vector<Diagnosis> &Findings) {
  UnnamedScopeSearch(Function, Types, Findings).TraverseStmt(Function.getBody());
}

} // namespace metasan::analysis
