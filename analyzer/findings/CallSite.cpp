#include "findings/CallSite.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace metasan::analysis {
namespace {

/// Walks from the body down to the expression, keeping what is in scope there.
class ScopeWalk {
public:
  ScopeWalk(const Expr &Wanted, CallSite &Site) : Wanted(Wanted), Site(Site) {}

  bool descend(const Stmt *S) {
    if (!S)
      return false;
    if (S == &Wanted)
      return true;
    if (const auto *Lambda = dyn_cast<LambdaExpr>(S))
      return descendInto(*Lambda);
    std::size_t Outside = Site.InScope.size();
    for (const Stmt *Child : S->children()) {
      if (descend(Child)) {
        if (const auto *Block = dyn_cast<CompoundStmt>(S); Block && isWanted(Child))
          found(*Block, Child);
        return true;
      }
      if (const auto *Decls = dyn_cast_or_null<DeclStmt>(Child))
        for (const Decl *D : Decls->decls())
          if (const auto *Var = dyn_cast<VarDecl>(D))
            Site.InScope.push_back(Var);
    }
    Site.InScope.resize(Outside);
    return false;
  }

  void addParameters(const FunctionDecl &Function) {
    for (const ParmVarDecl *Param : Function.parameters())
      Site.InScope.push_back(Param);
  }

  void addFields(const CXXRecordDecl &Class, bool IsBase, bool HasObject) {
    for (const CXXBaseSpecifier &Base : Class.bases())
      if (const CXXRecordDecl *Record = Base.getType()->getAsCXXRecordDecl();
          Record && Record->hasDefinition())
        addFields(*Record->getDefinition(), true, HasObject);
    for (const Decl *Member : Class.decls()) {
      bool IsVariable = isa<VarDecl>(Member) || (HasObject && isa<FieldDecl>(Member));
      if (IsVariable && !(IsBase && Member->getAccess() == AS_private))
        Site.InScope.push_back(cast<ValueDecl>(Member));
    }
  }

private:
  /// A lambda without a capture default sees only what it names.
  bool descendInto(const LambdaExpr &Lambda) {
    std::vector<const ValueDecl *> Saved = Site.InScope;
    if (Lambda.getCaptureDefault() == LCD_None)
      llvm::erase_if(Site.InScope, [&](const ValueDecl *D) {
        const auto *Var = dyn_cast<VarDecl>(D);
        return Var ? !Var->hasGlobalStorage() : !capturesThis(Lambda);
      });
    for (const LambdaCapture &Capture : Lambda.captures())
      if (Capture.isExplicit() && Capture.capturesVariable())
        Site.InScope.push_back(Capture.getCapturedVar());
    addParameters(*Lambda.getCallOperator());
    if (descend(Lambda.getBody()))
      return true;
    Site.InScope = std::move(Saved);
    return false;
  }

  static bool capturesThis(const LambdaExpr &Lambda) {
    return llvm::any_of(Lambda.captures(),
                        [](const LambdaCapture &Capture) { return Capture.capturesThis(); });
  }

  bool isWanted(const Stmt *Child) const {
    const auto *E = dyn_cast<Expr>(Child);
    return E && E->IgnoreImplicit() == &Wanted;
  }

  void found(const CompoundStmt &Block, const Stmt *Child) {
    Site.Block = &Block;
    auto All = llvm::ArrayRef<const Stmt *>(Block.body_begin(), Block.size());
    Site.After = All.drop_front(static_cast<std::size_t>(llvm::find(All, Child) - All.begin()) + 1);
  }

  const Expr &Wanted;
  CallSite &Site;
};

/// The user's variables at namespace scope that are declared before the function.
void addGlobals(const FunctionDecl &Function, CallSite &Site) {
  const SourceManager &Sources = Function.getASTContext().getSourceManager();
  std::vector<const VarDecl *> Found;
  for (const DeclContext *Context = Function.getDeclContext(); Context;
       Context = Context->getParent())
    if (Context->isFileContext())
      for (const Decl *D : Context->decls())
        if (const auto *Var = dyn_cast<VarDecl>(D);
            Var && !Sources.isInSystemHeader(Var->getLocation()) &&
            Sources.isBeforeInTranslationUnit(Var->getLocation(), Function.getLocation()))
          Found.push_back(Var);
  Site.InScope.insert(Site.InScope.end(), Found.rbegin(), Found.rend());
}

} // namespace

const ValueDecl *CallSite::lookUp(DeclarationName Name) const {
  for (const ValueDecl *Candidate : llvm::reverse(InScope))
    if (Candidate->getDeclName() == Name)
      return Candidate;
  return nullptr;
}

std::optional<CallSite> locate(const Expr &E, const FunctionDecl &Function) {
  CallSite Site;
  ScopeWalk Walk(E, Site);
  addGlobals(Function, Site);
  if (const auto *Method = dyn_cast<CXXMethodDecl>(&Function)) {
    const CXXRecordDecl *Class = Method->getParent();
    if (Class->isLambda()) {
      for (const LambdaCapture &Capture : Class->captures())
        if (Capture.capturesVariable())
          Site.InScope.push_back(Capture.getCapturedVar());
    } else {
      Walk.addFields(*Class, false, Method->isInstance());
    }
  }
  Walk.addParameters(Function);
  if (!Walk.descend(Function.getBody()))
    return std::nullopt;
  return Site;
}

} // namespace metasan::analysis
