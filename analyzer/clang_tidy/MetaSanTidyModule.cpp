#include "clang_tidy/RuleCheck.h"

#include "clang-tidy/ClangTidyModule.h"
#include "clang-tidy/ClangTidyModuleRegistry.h"

namespace metasan::tidy {
namespace {

/// The rules the engine has findings for.
constexpr metasan::Rule Implemented[] = {
    metasan::Rule::MetaCopyOut,
    metasan::Rule::MetaDataDependent,
    metasan::Rule::DispatchWithoutWeights,
};

class MetaSanTidyModule : public clang::tidy::ClangTidyModule {
public:
  void addCheckFactories(clang::tidy::ClangTidyCheckFactories &Factories) override {
    auto Host = std::make_shared<AnalysisHost>();
    for (metasan::Rule Reports : Implemented)
      Factories.registerCheckFactory(
          "metasan-" + std::string(metasan::info(Reports).id),
          [Host, Reports](llvm::StringRef Name, clang::tidy::ClangTidyContext *Context) {
            return std::make_unique<RuleCheck>(Name, Context, Reports, Host);
          });
  }
};

clang::tidy::ClangTidyModuleRegistry::Add<MetaSanTidyModule>
    Registration("metasan-module",
                 "Finds code that treats a tensor without data as if it had data.");

} // namespace
} // namespace metasan::tidy
