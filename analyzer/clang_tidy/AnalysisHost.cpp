#include "clang_tidy/AnalysisHost.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace metasan::tidy {
namespace {

class FunctionCollector : public RecursiveASTVisitor<FunctionCollector> {
public:
  explicit FunctionCollector(std::vector<const FunctionDecl *> &Found) : Found(Found) {}

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
      Found.push_back(Function);
  }
  std::vector<const FunctionDecl *> &Found;
};

} // namespace

const std::vector<const FunctionDecl *> &AnalysisHost::functions(ASTContext &AST) {
  if (Functions)
    return *Functions;
  Functions.emplace();
  FunctionCollector Collector(*Functions);
  // LibTorch has tens of thousands of functions: whole declarations are left out before anything
  // looks into them.
  const SourceManager &Sources = AST.getSourceManager();
  for (Decl *Top : AST.getTranslationUnitDecl()->decls())
    if (SourceLocation Where = Top->getLocation();
        Where.isValid() && !Sources.isInSystemHeader(Where))
      Collector.TraverseDecl(Top);
  return *Functions;
}

void AnalysisHost::startTranslationUnit() {
  Current.reset();
  Functions.reset();
  Remarked.clear();
  Claimed.clear();
  Included.clear();
}

const analysis::FunctionResult &AnalysisHost::resultFor(const FunctionDecl &Function,
                                                        ASTContext &AST) {
  if (!Current) {
    Current = std::make_unique<analysis::Analysis>(AST, analysis::Settings{.Limit = Limit});
    Current->run(functions(AST));
  }
  return Current->resultFor(Function);
}

} // namespace metasan::tidy
