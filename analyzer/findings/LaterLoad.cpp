#include "findings/LaterLoad.h"

#include "findings/Spelling.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace metasan::analysis {
namespace {

using Names = llvm::DenseSet<const ValueDecl *>;

bool mentions(const Stmt *S, const Names &Wanted) {
  struct Search : RecursiveASTVisitor<Search> {
    explicit Search(const Names &Wanted) : Wanted(Wanted) {}
    bool VisitDeclRefExpr(DeclRefExpr *E) { return !(Found |= Wanted.contains(E->getDecl())); }
    bool VisitMemberExpr(MemberExpr *E) { return !(Found |= Wanted.contains(E->getMemberDecl())); }
    const Names &Wanted;
    bool Found = false;
  };
  Search Whole(Wanted);
  Whole.TraverseStmt(const_cast<Stmt *>(S));
  return Whole.Found;
}

/// Variables that may lead to what one of the names leads to: made from it, directly or not.
class AliasSearch : public RecursiveASTVisitor<AliasSearch> {
public:
  explicit AliasSearch(Names &Aliases) : Aliases(Aliases) {}
  bool VisitVarDecl(VarDecl *Var) {
    if (Var->getInit() && mentions(Var->getInit(), Aliases))
      Aliases.insert(Var);
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *E) {
    if (E->getOperator() == OO_Equal && mentions(E->getArg(1), Aliases))
      if (const ValueDecl *Assigned = rootVariable(E->getArg(0)))
        Aliases.insert(Assigned);
    return true;
  }

private:
  Names &Aliases;
};

/// Something before the load that may need the weights.
class DependenceSearch : public RecursiveASTVisitor<DependenceSearch> {
public:
  DependenceSearch(const Names &Aliases, const Expr &Module)
      : Aliases(Aliases), Module(Module),
        OfThis(isa_and_nonnull<FieldDecl>(rootVariable(&Module))) {}

  bool TraverseCXXMemberCallExpr(CXXMemberCallExpr *E) {
    static const llvm::StringSet<> Harmless{"train", "eval", "parameters", "named_parameters"};
    const CXXMethodDecl *Method = E->getMethodDecl();
    if (Method && Method->getIdentifier() && Harmless.contains(Method->getName()) &&
        isSameHandle(E->getImplicitObjectArgument(), &Module)) {
      for (Expr *Arg : E->arguments())
        TraverseStmt(Arg);
      return !Found;
    }
    // A method of the object at hand may do anything to its fields.
    Found |= isa<CXXThisExpr>(spelled(E->getImplicitObjectArgument())) && OfThis;
    return RecursiveASTVisitor::TraverseCXXMemberCallExpr(E);
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) { return !(Found |= Aliases.contains(E->getDecl())); }
  bool VisitMemberExpr(MemberExpr *E) { return !(Found |= Aliases.contains(E->getMemberDecl())); }
  bool VisitCXXThisExpr(CXXThisExpr *) { return !(Found |= isa<CXXThisExpr>(spelled(&Module))); }

  bool Found = false;

private:
  const Names &Aliases;
  const Expr &Module;
  bool OfThis; ///< the module is a field of the object at hand
};

class LoadSearch : public RecursiveASTVisitor<LoadSearch> {
public:
  explicit LoadSearch(const Expr &Module) : Module(Module) {}

  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *Callee = E->getDirectCallee();
    if (!Callee || E->getNumArgs() < 2 || !isSameHandle(E->getArg(0), &Module))
      return true;
    std::string Name = qualifiedName(*Callee);
    if (Name == "metasan::load_checkpoint_in_model")
      found(*E, LaterLoad::Kind::InModel, 2);
    else if (Name == "metasan::load_checkpoint_and_dispatch")
      found(*E, LaterLoad::Kind::AndDispatch, 3);
    else if (Name == "torch::load")
      found(*E, LaterLoad::Kind::Native, 2);
    return !Found;
  }
  // What a lambda or a branch does may not happen.
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }
  bool TraverseConditionalOperator(ConditionalOperator *) { return true; }
  bool TraverseCompoundStmt(CompoundStmt *) { return true; }
  bool TraverseIfStmt(IfStmt *) { return true; }
  bool TraverseSwitchStmt(SwitchStmt *) { return true; }
  bool TraverseForStmt(ForStmt *) { return true; }
  bool TraverseWhileStmt(WhileStmt *) { return true; }
  bool TraverseDoStmt(DoStmt *) { return true; }
  bool TraverseCXXForRangeStmt(CXXForRangeStmt *) { return true; }
  bool TraverseCXXTryStmt(CXXTryStmt *) { return true; }

  std::optional<LaterLoad> Found;

private:
  void found(const CallExpr &E, LaterLoad::Kind What, unsigned Options) {
    Found = LaterLoad{What, &E, E.getArg(1), false, !isGiven(E, Options)};
  }
  const Expr &Module;
};

} // namespace

std::optional<LaterLoad> findLaterLoad(const CallSite &Site, const Expr &Module,
                                       const FunctionDecl &Function) {
  const ValueDecl *Root = rootVariable(&Module);
  if (!Root && !isa<CXXThisExpr>(spelled(&Module)))
    return std::nullopt;
  Names Aliases;
  if (Root)
    Aliases.insert(Root);
  if (const auto *Var = dyn_cast_or_null<VarDecl>(Root); Var && Var->getInit())
    if (const ValueDecl *Source = rootVariable(Var->getInit()))
      Aliases.insert(Source);
  AliasSearch(Aliases).TraverseStmt(Function.getBody());
  for (const Stmt *S : Site.After) {
    LoadSearch Load(Module);
    Load.TraverseStmt(const_cast<Stmt *>(S));
    if (Load.Found) {
      const auto *E = dyn_cast<Expr>(S);
      Load.Found->IsStatement = E && E->IgnoreImplicit() == Load.Found->Call;
      return Load.Found;
    }
    DependenceSearch Dependence(Aliases, Module);
    Dependence.TraverseStmt(const_cast<Stmt *>(S));
    if (Dependence.Found)
      return std::nullopt;
  }
  return std::nullopt;
}

} // namespace metasan::analysis
