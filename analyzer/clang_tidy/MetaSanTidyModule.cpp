#include "clang_tidy/RuleCheck.h"

#include "clang-tidy/ClangTidyModule.h"
#include "clang-tidy/ClangTidyModuleRegistry.h"

namespace metasan::tidy {
namespace {

class MetaSanTidyModule : public clang::tidy::ClangTidyModule {
public:
  void addCheckFactories(clang::tidy::ClangTidyCheckFactories &Factories) override {
    auto Host = std::make_shared<AnalysisHost>();
    for (const metasan::RuleInfo &Rule : metasan::kRules)
      if (Rule.in_analyzer)
        Factories.registerCheckFactory(
            frontend::checkName(Rule.rule),
            [Host, &Rule](llvm::StringRef Name, clang::tidy::ClangTidyContext *Context) {
              return std::make_unique<RuleCheck>(Name, Context, Rule.rule, Host);
            });
  }
};

clang::tidy::ClangTidyModuleRegistry::Add<MetaSanTidyModule>
    Registration("metasan-module",
                 "Finds code that treats a tensor without data as if it had data.");

} // namespace
} // namespace metasan::tidy
