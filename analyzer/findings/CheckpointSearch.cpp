#include "findings/CheckpointSearch.h"

#include "findings/Spelling.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

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

bool containsAny(llvm::StringRef Text, llvm::ArrayRef<llvm::StringRef> Words) {
  return llvm::any_of(Words, [&](llvm::StringRef Word) { return Text.contains(Word); });
}

/// "dataDir_2" -> "data", "dir", "2".
std::vector<std::string> wordsOf(llvm::StringRef Name) {
  std::vector<std::string> Words(1);
  for (char C : Name) {
    bool Starts = llvm::isUpper(C) && !Words.back().empty() && !llvm::isUpper(Words.back().back());
    if (Starts || C == '_')
      Words.emplace_back();
    if (C != '_')
      Words.back() += C;
  }
  for (std::string &Word : Words)
    Word = llvm::StringRef(Word).lower();
  return Words;
}

/// "checkpoint", "weights_path", but not "weights_key": that is a part of one, or tells about it.
bool isCalledLikeCheckpoint(const ValueDecl &D) {
  if (!D.getIdentifier())
    return false;
  static const llvm::StringSet<> Others{"key",  "keys",  "prefix", "suffix",  "format",
                                        "ext",  "tag",   "url",    "version", "hash",
                                        "name", "layer", "out",    "output",  "count"};
  return containsAny(D.getName().lower(), {"checkpoint", "ckpt", "weights", "safetensors"}) &&
         llvm::none_of(wordsOf(D.getName()),
                       [](const std::string &Word) { return Others.contains(Word); });
}

/// A file that load_checkpoint_in_model does not read.
bool isForeignFormat(llvm::StringRef Path) {
  return llvm::any_of(
      llvm::ArrayRef<llvm::StringRef>{".pt", ".pth", ".bin", ".ckpt", ".onnx", ".gguf", ".pkl"},
      [&](llvm::StringRef Ending) { return Path.ends_with_insensitive(Ending); });
}

/// What the function reads from, and what it writes to.
class FileUses : public RecursiveASTVisitor<FileUses> {
public:
  FileUses(const Expr &Where, const Expr *Module, const SourceManager &Sources, TypeOracle &Types)
      : Where(Where), Module(Module), Sources(Sources), Types(Types) {}

  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *Callee = E->getDirectCallee();
    if (!Callee)
      return true;
    std::string Name = qualifiedName(*Callee);
    if (Name == "metasan::load_checkpoint_in_model" ||
        Name == "metasan::load_checkpoint_and_dispatch") {
      addLoad(*E);
    } else if (Name == "torch::load" || llvm::StringRef(Name).contains_insensitive("save")) {
      for (const Expr *Arg : E->arguments())
        addVariables(Arg, Excluded);
    }
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    if (const auto *Name = E->getConstructor()->getParent()->getIdentifier();
        Name && Name->getName() == "basic_ofstream")
      for (const Expr *Arg : E->arguments())
        addVariables(Arg, Excluded);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (Sources.isBeforeInTranslationUnit(E->getBeginLoc(), Where.getBeginLoc()))
      Mentioned.insert(E->getDecl());
    return true;
  }

  bool canBeRead(const ValueDecl *D) const {
    if (Excluded.contains(D) && !Read.contains(D))
      return false;
    const auto *Var = dyn_cast<VarDecl>(D);
    const auto *Field = dyn_cast<FieldDecl>(D);
    const Expr *Init = Var     ? Var->getAnyInitializer()
                       : Field ? Field->getInClassInitializer()
                               : nullptr;
    LeafSearch Leaves;
    Leaves.TraverseStmt(const_cast<Expr *>(Init));
    if (Leaves.Literal && isForeignFormat(Leaves.Literal->getBytes()))
      return false;
    // "std::string checkpoint;" is empty until something is done to it.
    bool StartsEmpty =
        Var && Var->isLocalVarDecl() && (!Init || isEmptyObject(Init->IgnoreImplicit()));
    return !StartsEmpty || Mentioned.contains(D);
  }

  /// The path arguments of the loads, in the order of the source.
  std::vector<const Expr *> OfModule, OfItsClass;

private:
  struct LeafSearch : RecursiveASTVisitor<LeafSearch> {
    bool VisitDeclRefExpr(DeclRefExpr *E) {
      if (isa<VarDecl>(E->getDecl()))
        Variables.push_back(E->getDecl());
      return true;
    }
    bool VisitMemberExpr(MemberExpr *E) {
      Variables.push_back(E->getMemberDecl());
      return true;
    }
    bool VisitStringLiteral(clang::StringLiteral *E) {
      if (E->getCharByteWidth() == 1)
        Literal = E;
      return true;
    }
    llvm::SmallVector<const ValueDecl *, 4> Variables;
    const clang::StringLiteral *Literal = nullptr;
  };

  static bool isEmptyObject(const Expr *Init) {
    const auto *Construct = dyn_cast<CXXConstructExpr>(Init);
    return Construct && Construct->getNumArgs() == 0;
  }

  static void addVariables(const Expr *E, llvm::DenseSet<const ValueDecl *> &To) {
    LeafSearch Leaves;
    Leaves.TraverseStmt(const_cast<Expr *>(E));
    To.insert(Leaves.Variables.begin(), Leaves.Variables.end());
  }

  void addLoad(const CallExpr &E) {
    if (E.getNumArgs() < 2)
      return;
    addVariables(E.getArg(1), Read);
    if (Module && isSameHandle(E.getArg(0), Module))
      OfModule.push_back(E.getArg(1));
    else if (Module && classOf(*E.getArg(0)) && classOf(*E.getArg(0)) == classOf(*Module))
      OfItsClass.push_back(E.getArg(1));
  }
  const CXXRecordDecl *classOf(const Expr &E) const {
    const CXXRecordDecl *Class = Types.heldModule(spelled(&E)->getType());
    return Class ? Class->getCanonicalDecl() : nullptr;
  }

  const Expr &Where;
  const Expr *Module;
  const SourceManager &Sources;
  TypeOracle &Types;
  llvm::DenseSet<const ValueDecl *> Read, Excluded, Mentioned;
};

/// The path means the same at the site: it consists of literals and of what can be named there.
bool isUsableAt(const Expr *Path, const CallSite &Site, const FileUses &Uses) {
  struct Search : RecursiveASTVisitor<Search> {
    Search(const CallSite &Site, const FileUses &Uses) : Site(Site), Uses(Uses) {}
    bool VisitDeclRefExpr(DeclRefExpr *E) {
      Usable &= isa<FunctionDecl>(E->getDecl()) ||
                (Site.canName(E->getDecl()) && Uses.canBeRead(E->getDecl()));
      return true;
    }
    bool VisitMemberExpr(MemberExpr *E) {
      Usable &=
          !isa<CXXThisExpr>(E->getBase()->IgnoreImplicit()) || Site.canName(E->getMemberDecl());
      return true;
    }
    bool VisitCallExpr(CallExpr *E) {
      // "directory / name", "directory + name": another call may do anything.
      Usable &= isa<CXXOperatorCallExpr>(E);
      return true;
    }
    bool VisitLambdaExpr(LambdaExpr *) { return Usable = false; }
    const CallSite &Site;
    const FileUses &Uses;
    bool Usable = true;
  };
  Search Whole(Site, Uses);
  Whole.TraverseStmt(const_cast<Expr *>(Path));
  return Whole.Usable;
}

/// The spelling of the last usable path before the place, or else of the first one after it.
std::optional<std::string> nearest(llvm::ArrayRef<const Expr *> Paths, const Expr &Where,
                                   const CallSite &Site, const FileUses &Uses,
                                   const ASTContext &AST) {
  const Expr *Nearest = nullptr;
  for (const Expr *Path : Paths) {
    bool Before =
        AST.getSourceManager().isBeforeInTranslationUnit(Path->getBeginLoc(), Where.getBeginLoc());
    if ((Before || !Nearest) && isUsableAt(Path, Site, Uses))
      Nearest = Path;
  }
  std::string Text = Nearest ? textOf(Nearest->getSourceRange(), AST) : "";
  return Text.empty() ? std::nullopt : std::optional(Text);
}

} // namespace

std::optional<std::string> findCheckpoint(const CallSite &Site, const Expr &Where,
                                          const FunctionDecl &Function, const Expr *Module,
                                          TypeOracle &Types) {
  const ASTContext &AST = Function.getASTContext();
  FileUses Uses(Where, Module, AST.getSourceManager(), Types);
  Uses.TraverseStmt(Function.getBody());
  if (std::optional<std::string> Path = nearest(Uses.OfModule, Where, Site, Uses, AST))
    return Path;
  for (const ValueDecl *Candidate : llvm::reverse(Site.InScope))
    if (isCalledLikeCheckpoint(*Candidate) && holdsPath(Candidate->getType()) &&
        Site.canName(Candidate) && Uses.canBeRead(Candidate))
      return Candidate->getNameAsString();
  return nearest(Uses.OfItsClass, Where, Site, Uses, AST);
}

} // namespace metasan::analysis
