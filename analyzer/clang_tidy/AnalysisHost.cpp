#include "clang_tidy/AnalysisHost.h"

#include "frontend/ModelFile.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace metasan::tidy {

void AnalysisHost::enable(metasan::Rule Check, frontend::RuleOptions Options,
                          analysis::Budget Given) {
  if (Started)
    *this = AnalysisHost();
  Enabled[Check] = std::move(Options);
  if (!Limit || Given.BlockVisits < Limit->BlockVisits)
    Limit = Given;
}

std::string AnalysisHost::useModelFile(llvm::StringRef Path, llvm::StringRef Source) {
  std::string Error;
  if (ModelFiles.insert(Path.str()).second)
    frontend::readModelFile(Path, Source, Contracts, Error);
  return Error;
}

void AnalysisHost::startTranslationUnit() {
  Started = true;
  Current.reset();
  RemarksTaken = false;
}

frontend::Delivery &AnalysisHost::delivery(ASTContext &AST) {
  if (!Current) {
    frontend::FunctionSet Functions;
    for (Decl *Top : AST.getTranslationUnitDecl()->decls())
      frontend::addOwnFunctionsIn(Top, AST.getSourceManager(), Functions);
    Current = std::make_unique<frontend::Delivery>(
        AST, Enabled, analysis::Settings{.Limit = *Limit, .UserModel = &Contracts},
        std::move(Functions));
  }
  return *Current;
}

std::vector<frontend::Report> AnalysisHost::takeRemarks() {
  if (!Current || std::exchange(RemarksTaken, true))
    return {};
  return Current->remarks();
}

} // namespace metasan::tidy
