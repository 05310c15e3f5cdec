#include "findings/CheckpointSearch.h"

#include "engine/Evaluator.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace metasan::analysis {
namespace {

bool holdsPath(QualType Type) {
  Type = Type.getNonReferenceType();
  if (Type->isPointerType())
    return Type->getPointeeType()->isCharType();
  const CXXRecordDecl *Record = Type->getAsCXXRecordDecl();
  if (!Record)
    return false;
  std::string Name = qualifiedName(*Record);
  return Name == "std::filesystem::path" || Name == "std::basic_string" ||
         Name == "std::basic_string_view";
}

bool namedLikeCheckpoint(const ValueDecl &D) {
  if (!D.getIdentifier())
    return false;
  std::string Name = D.getName().lower();
  for (llvm::StringRef Word : {"checkpoint", "ckpt", "weights", "safetensors"})
    if (llvm::StringRef(Name).contains(Word))
      return true;
  return false;
}

/// What the loads of the function read: the spelling of their second argument.
class LoadArguments : public RecursiveASTVisitor<LoadArguments> {
public:
  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *Callee = E->getDirectCallee();
    if (!Callee || E->getNumArgs() < 2)
      return true;
    std::string Name = qualifiedName(*Callee);
    if (Name != "metasan::load_checkpoint_in_model" &&
        Name != "metasan::load_checkpoint_and_dispatch" && Name != "torch::load")
      return true;
    LeafSearch Leaf;
    Leaf.TraverseStmt(E->getArg(1));
    if (Leaf.Variable)
      Variables.insert(Leaf.Variable);
    else if (Leaf.Literal && Literal == nullptr)
      Literal = Leaf.Literal;
    return true;
  }

  llvm::DenseSet<const ValueDecl *> Variables;
  const clang::StringLiteral *Literal = nullptr;

private:
  struct LeafSearch : RecursiveASTVisitor<LeafSearch> {
    bool VisitDeclRefExpr(DeclRefExpr *E) {
      if (isa<VarDecl>(E->getDecl()))
        Variable = E->getDecl();
      return true;
    }
    bool VisitStringLiteral(clang::StringLiteral *E) {
      Literal = E;
      return true;
    }
    const ValueDecl *Variable = nullptr;
    const clang::StringLiteral *Literal = nullptr;
  };
};

/// Walks from the body down to the call, keeping what is in scope there.
class ScopeWalk {
public:
  explicit ScopeWalk(const CallExpr &Call) : Call(Call) {}

  bool descend(const Stmt *S) {
    if (!S)
      return false;
    if (S == &Call)
      return true;
    std::size_t Outside = InScope.size();
    std::vector<const ValueDecl *> Saved;
    if (const auto *Lambda = dyn_cast<LambdaExpr>(S)) {
      // A lambda without a capture default sees only what it names.
      Saved = InScope;
      if (Lambda->getCaptureDefault() == LCD_None)
        InScope.clear();
      for (const LambdaCapture &Capture : Lambda->captures())
        if (Capture.isExplicit() && Capture.capturesVariable())
          InScope.push_back(Capture.getCapturedVar());
      for (const ParmVarDecl *Param : Lambda->getCallOperator()->parameters())
        InScope.push_back(Param);
      if (descend(Lambda->getBody()))
        return true;
      InScope = std::move(Saved);
      return false;
    }
    for (const Stmt *Child : S->children()) {
      if (descend(Child)) {
        const Stmt *Whole = Child;
        if (const auto *Cleanups = dyn_cast_or_null<ExprWithCleanups>(Whole))
          Whole = Cleanups->getSubExpr();
        if (Whole == &Call)
          IsStatement = isa<CompoundStmt>(S);
        return true;
      }
      if (const auto *Decls = dyn_cast_or_null<DeclStmt>(Child))
        for (const Decl *D : Decls->decls())
          if (const auto *Var = dyn_cast<VarDecl>(D))
            InScope.push_back(Var);
    }
    InScope.resize(Outside);
    return false;
  }

  std::vector<const ValueDecl *> InScope;
  bool IsStatement = false;

private:
  const CallExpr &Call;
};

} // namespace

CallSite inspectCallSite(const CallExpr &Call, const FunctionDecl &Function,
                         const ASTContext &AST) {
  CallSite Result;
  ScopeWalk Walk(Call);
  if (const auto *Method = dyn_cast<CXXMethodDecl>(&Function))
    for (const FieldDecl *Field : Method->getParent()->fields())
      Walk.InScope.push_back(Field);
  for (const ParmVarDecl *Param : Function.parameters())
    Walk.InScope.push_back(Param);
  if (!Walk.descend(Function.getBody()))
    return Result;
  Result.IsStatement = Walk.IsStatement;

  LoadArguments Loads;
  Loads.TraverseStmt(Function.getBody());
  // The innermost declaration is the nearest; a name hidden by it is not usable.
  llvm::DenseSet<DeclarationName> Hidden;
  const ValueDecl *Read = nullptr;
  for (const ValueDecl *Candidate : llvm::reverse(Walk.InScope)) {
    if (!Hidden.insert(Candidate->getDeclName()).second || !holdsPath(Candidate->getType()))
      continue;
    if (namedLikeCheckpoint(*Candidate)) {
      Result.Checkpoint = Candidate->getNameAsString();
      return Result;
    }
    if (!Read && Loads.Variables.contains(Candidate))
      Read = Candidate;
  }
  if (Read)
    Result.Checkpoint = Read->getNameAsString();
  else if (Loads.Literal && !Loads.Literal->getBeginLoc().isMacroID())
    Result.Checkpoint =
        Lexer::getSourceText(CharSourceRange::getTokenRange(Loads.Literal->getSourceRange()),
                             AST.getSourceManager(), AST.getLangOpts())
            .str();
  return Result;
}

} // namespace metasan::analysis
