// How long the analysis takes for every function that the headers of a source define, system
// headers included, as far as its body has to do with tensors:
//
//   metasan-headers-benchmark <source> -- <compiler flags>
//
// The result is one JSON object on standard output; findings, and functions that could not be
// analyzed, are listed on standard error.
#include "frontend/Functions.h"

#include "findings/Analysis.h"
#include "torch_model/Types.h"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/ASTUnit.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/JSON.h>

#include <chrono>

namespace {

using metasan::analysis::Completion;
using metasan::analysis::TypeOracle;

class TensorSearch : public clang::RecursiveASTVisitor<TensorSearch> {
 public:
  explicit TensorSearch(TypeOracle& Types) : Types(Types) {}

  bool VisitExpr(clang::Expr* E) {
    // Conditions of static assertions in templates have no type.
    Found |= !E->getType().isNull() && Types.isTensor(E->getType());
    return !Found;
  }

  bool Found = false;

 private:
  TypeOracle& Types;
};

metasan::frontend::FunctionSet functionsOf(clang::ASTContext& AST) {
  metasan::frontend::FunctionSet All, Mentioning;
  TypeOracle Types;
  for (clang::Decl* Top : AST.getTranslationUnitDecl()->decls())
    metasan::frontend::addFunctionsIn(Top, All);
  for (const clang::FunctionDecl* Function : All) {
    TensorSearch Search(Types);
    Search.TraverseStmt(Function->getBody());
    if (Search.Found)
      Mentioning.insert(Function);
  }
  return Mentioning;
}

void say(llvm::StringRef What, clang::SourceLocation Where, const clang::SourceManager& Sources) {
  Where.print(llvm::errs(), Sources);
  llvm::errs() << ": " << What << '\n';
}

llvm::json::Object measure(clang::ASTContext& AST) {
  metasan::frontend::FunctionSet Functions = functionsOf(AST);
  auto Start = std::chrono::steady_clock::now();
  metasan::analysis::Analysis Analysis(AST, {.Everything = true});
  Analysis.run(Functions.getArrayRef());
  std::chrono::duration<double> Seconds = std::chrono::steady_clock::now() - Start;

  int64_t Failures = 0, OverBudget = 0, Findings = 0;
  for (const clang::FunctionDecl* Function : Functions) {
    const auto& Result = Analysis.resultFor(*Function);
    for (const auto& Finding : Result.Findings) {
      ++Findings;
      say(Finding.Message, Finding.Where, AST.getSourceManager());
    }
    if (Result.Status == Completion::Crashed) {
      ++Failures;
      say("the analysis of this function failed", Function->getLocation(), AST.getSourceManager());
    } else if (Result.Status == Completion::OverBudget) {
      ++OverBudget;
      say("this function is over budget", Function->getLocation(), AST.getSourceManager());
    }
  }
  return llvm::json::Object{{"seconds", Seconds.count()},
                            {"functions", static_cast<int64_t>(Functions.size())},
                            {"failures", Failures},
                            {"over_budget", OverBudget},
                            {"findings", Findings}};
}

}  // namespace

int main(int argc, const char** argv) {
  std::string Error;
  auto Flags = clang::tooling::FixedCompilationDatabase::loadFromCommandLine(argc, argv, Error);
  if (argc != 2 || !Flags) {
    llvm::errs() << "usage: metasan-headers-benchmark <source> -- <compiler flags>\n" << Error;
    return 2;
  }
  clang::tooling::ClangTool Tool(*Flags, {argv[1]});
  std::vector<std::unique_ptr<clang::ASTUnit>> Units;
  if (Tool.buildASTs(Units) != 0 || Units.size() != 1)
    return 1;
  llvm::outs() << llvm::json::Value(measure(Units.front()->getASTContext())) << '\n';
}
