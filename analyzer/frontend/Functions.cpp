#include "frontend/Functions.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace metasan::frontend {
namespace {

class FunctionCollector : public RecursiveASTVisitor<FunctionCollector> {
public:
  explicit FunctionCollector(FunctionSet &Found) : Found(Found) {}

  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitFunctionDecl(FunctionDecl *Function) {
    add(Function);
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr *E) {
    add(E->getCallOperator());
    return true;
  }

private:
  void add(const FunctionDecl *Function) {
    if (Function && Function->doesThisDeclarationHaveABody() && !Function->isDependentContext() &&
        !Function->isImplicit())
      Found.insert(Function);
  }
  FunctionSet &Found;
};

} // namespace

void addFunctionsIn(Decl *Top, FunctionSet &Found) { FunctionCollector(Found).TraverseDecl(Top); }

void addOwnFunctionsIn(Decl *Top, const SourceManager &Sources, FunctionSet &Found) {
  SourceLocation Where = Top->getLocation();
  if (Where.isValid() && !Sources.isInSystemHeader(Where))
    addFunctionsIn(Top, Found);
}

} // namespace metasan::frontend
