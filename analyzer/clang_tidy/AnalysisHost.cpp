#include "clang_tidy/AnalysisHost.h"

namespace metasan::tidy {

void AnalysisHost::startTranslationUnit() {
  Current.reset();
  Results.clear();
  Remarked.clear();
  Claimed.clear();
  Included.clear();
}

const analysis::FunctionResult &AnalysisHost::resultFor(const clang::FunctionDecl &Function,
                                                        clang::ASTContext &AST) {
  if (!Current)
    Current = std::make_unique<analysis::Analysis>(AST);
  auto [Entry, New] = Results.try_emplace(&Function);
  if (New)
    Entry->second = Current->analyze(Function);
  return Entry->second;
}

} // namespace metasan::tidy
