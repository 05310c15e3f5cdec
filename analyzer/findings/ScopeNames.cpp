#include "findings/ScopeNames.h"

#include "findings/Spelling.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace metasan::analysis {
namespace {

class BuildSearch : public RecursiveASTVisitor<BuildSearch> {
public:
  BuildSearch(ApiModel &Api, TypeOracle &Types) : Api(Api), Types(Types) {}

  bool VisitCallExpr(CallExpr *E) {
    OnlyBuilds &= builds(*E);
    return OnlyBuilds;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    OnlyBuilds &= builds(*E);
    return OnlyBuilds;
  }
  // What a lambda does is up to where it is called.
  bool TraverseLambdaExpr(LambdaExpr *) { return true; }

  bool OnlyBuilds = true;

private:
  bool builds(const CallExpr &E) {
    const FunctionDecl *Callee = E.getDirectCallee();
    if (!Callee)
      return false;
    if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(&E);
        Operator && Operator->getOperator() != OO_Call)
      return !Types.isTensor(E.getType());
    static const llvm::StringSet<> Harmless{"train",
                                            "eval",
                                            "register_module",
                                            "register_parameter",
                                            "register_buffer",
                                            "name_tensors",
                                            "state_of",
                                            "parameters",
                                            "ptr",
                                            "get",
                                            "init_empty_weights"};
    switch (Api.resolve(Callee).Where) {
    case Owner::Std:
    case Owner::Options:
    case Owner::Device:
      return true;
    case Owner::Module:
    case Owner::MetaSan:
      return isa<CXXConversionDecl>(Callee) ||
             (Callee->getIdentifier() && Harmless.contains(Callee->getName()));
    case Owner::User:
      // A function that returns a module makes it; another one may do anything.
      return Types.isModule(E.getType()) || isIn("std::", *Callee) || isSetting(*Callee);
    default:
      return false;
    }
  }
  bool builds(const CXXConstructExpr &E) {
    const CXXRecordDecl *Class = E.getConstructor()->getParent();
    TypeClass Kind = Types.classify(Class);
    return !E.getConstructor()->isUserProvided() || isIn("std::", *Class) ||
           (Kind != TypeClass::Record && Kind != TypeClass::Tensor) || isSetting(*Class);
  }
  /// An option of a module: torch::nn::LinearOptions(4, 4).bias(false).
  static bool isSetting(const NamedDecl &D) { return isIn("torch::nn::", D) || isIn("c10::", D); }
  static bool isIn(llvm::StringRef Namespace, const NamedDecl &D) {
    return llvm::StringRef(qualifiedName(D)).starts_with(Namespace);
  }

  ApiModel &Api;
  TypeOracle &Types;
};

/// Every name that the function declares or refers to.
class NameSearch : public RecursiveASTVisitor<NameSearch> {
public:
  bool VisitNamedDecl(NamedDecl *D) { return add(*D); }
  bool VisitDeclRefExpr(DeclRefExpr *E) { return add(*E->getDecl()); }
  bool VisitMemberExpr(MemberExpr *E) { return add(*E->getMemberDecl()); }
  bool VisitTypeLoc(TypeLoc Type) {
    if (const auto *Tag = Type.getType()->getAsTagDecl())
      add(*Tag);
    return true;
  }
  bool add(const NamedDecl &D) {
    if (D.getIdentifier())
      Names.insert(D.getName());
    return true;
  }
  llvm::StringSet<> Names;
};

} // namespace

bool onlyBuilds(llvm::ArrayRef<const Stmt *> Following, ApiModel &Api, TypeOracle &Types) {
  BuildSearch Search(Api, Types);
  for (const Stmt *S : Following)
    Search.TraverseStmt(const_cast<Stmt *>(S));
  return Search.OnlyBuilds;
}

std::string freeName(llvm::StringRef Wanted, unsigned Skip, const FunctionDecl &Function) {
  NameSearch Search;
  Search.TraverseDecl(const_cast<FunctionDecl *>(&Function));
  if (const auto *Method = dyn_cast<CXXMethodDecl>(&Function))
    for (const Decl *Member : Method->getParent()->decls())
      if (const auto *Named = dyn_cast<NamedDecl>(Member))
        Search.add(*Named);
  const ASTContext &AST = Function.getASTContext();
  for (unsigned Number = 1;; ++Number) {
    std::string Name = Wanted.str() + (Number == 1 ? "" : std::to_string(Number));
    bool IsTaken = Search.Names.contains(Name) || AST.Idents.get(Name).hasMacroDefinition();
    if (!IsTaken && Skip-- == 0)
      return Name;
  }
}

} // namespace metasan::analysis
