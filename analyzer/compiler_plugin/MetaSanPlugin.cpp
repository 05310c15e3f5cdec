//===- MetaSanPlugin.cpp - The checks in the compiler ------------------------===//
//
//   clang++-19 -fplugin=MetaSanPlugin.so -fplugin-arg-metasan-confidence=definite ...
//
//===----------------------------------------------------------------------===//
#include "compiler_plugin/Suppressions.h"
#include "frontend/Delivery.h"
#include "frontend/ModelFile.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"

using namespace clang;
using llvm::StringRef;

namespace metasan::plugin {
namespace {

struct Settings {
  std::string Checks = "*";
  frontend::RuleOptions Options;
  analysis::Budget Limit;
  std::string ModelFile;
};

bool isOn(const RuleInfo &R, StringRef Checks) {
  return R.in_analyzer && matchesGlobs(Checks, frontend::checkName(R.rule));
}

class Consumer : public ASTConsumer {
public:
  Consumer(Settings Chosen, analysis::ContractTable Contracts)
      : Chosen(std::move(Chosen)), Contracts(std::move(Contracts)) {}

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    Parsed.insert(Parsed.end(), Group.begin(), Group.end());
    return true;
  }
  /// What is in a precompiled header was checked when that was made, and reading all of it would
  /// cost what the header saves.
  void HandleInterestingDecl(DeclGroupRef) override {}

  void HandleTranslationUnit(ASTContext &AST) override {
    DiagnosticsEngine &Diags = AST.getDiagnostics();
    if (Diags.hasUncompilableErrorOccurred() || Diags.getIgnoreAllWarnings())
      return;
    frontend::FunctionSet Functions;
    for (Decl *Top : Parsed)
      frontend::addOwnFunctionsIn(Top, AST.getSourceManager(), Functions);
    frontend::EnabledRules Enabled;
    for (const RuleInfo &R : kRules)
      if (isOn(R, Chosen.Checks))
        Enabled[R.rule] = Chosen.Options;
    frontend::Delivery Delivery(AST, Enabled, {.Limit = Chosen.Limit, .UserModel = &Contracts},
                                std::move(Functions));
    show(Delivery, Enabled, AST);
  }

private:
  void show(frontend::Delivery &Delivery, const frontend::EnabledRules &Enabled, ASTContext &AST) {
    struct Warning {
      frontend::Report Found;
      std::string Check;
    };
    std::vector<Warning> Warnings;
    Suppressions Suppressed(AST.getSourceManager());
    for (const auto &[R, Options] : Enabled)
      for (frontend::Report &Found : Delivery.reports(R))
        if (!Suppressed.isSuppressed(Found.Where, frontend::checkName(R)))
          Warnings.push_back({std::move(Found), frontend::checkName(R)});
    llvm::sort(Warnings, [&](const Warning &Left, const Warning &Right) {
      if (Left.Found.Where == Right.Found.Where)
        return Left.Check < Right.Check;
      return AST.getSourceManager().isBeforeInTranslationUnit(Left.Found.Where, Right.Found.Where);
    });

    // The compiler does not apply -Werror to the diagnostics of plugins.
    DiagnosticsEngine &Diags = AST.getDiagnostics();
    unsigned ID = Diags.getWarningsAsErrors()
                      ? Diags.getCustomDiagID(DiagnosticsEngine::Error, "%0 [%1,-Werror]")
                      : Diags.getCustomDiagID(DiagnosticsEngine::Warning, "%0 [%1]");
    for (const Warning &W : Warnings)
      show(W.Found, ID, W.Check, Diags);
    for (const frontend::Report &Remark : Delivery.remarks())
      show(Remark, Diags.getCustomDiagID(DiagnosticsEngine::Remark, "%0 [%1]"), "metasan", Diags);
  }

  static void show(const frontend::Report &R, unsigned ID, StringRef Check,
                   DiagnosticsEngine &Diags) {
    {
      DiagnosticBuilder Builder = Diags.Report(R.Where, ID) << R.Message << Check;
      if (R.Range.isValid())
        Builder << R.Range;
      for (const FixItHint &Edit : R.Edits)
        Builder << Edit;
    }
    for (const analysis::Note &N : R.Notes)
      Diags.Report(N.Where, Diags.getCustomDiagID(DiagnosticsEngine::Note, "%0")) << N.Message;
  }

  Settings Chosen;
  analysis::ContractTable Contracts;
  std::vector<Decl *> Parsed;
};

class Action : public PluginASTAction {
protected:
  /// Before code is generated: there is no use for that when findings are errors.
  ActionType getActionType() override { return AddBeforeMainAction; }

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Compiler,
                                                 StringRef Source) override {
    if (!Compiler.getLangOpts().CPlusPlus)
      return std::make_unique<ASTConsumer>();
    analysis::ContractTable Contracts;
    std::string Problem;
    if (!Chosen.ModelFile.empty() &&
        !frontend::readModelFile(Chosen.ModelFile, Source, Contracts, Problem)) {
      refuse(Problem, Compiler.getDiagnostics());
      return nullptr;
    }
    return std::make_unique<Consumer>(Chosen, std::move(Contracts));
  }

  bool ParseArgs(const CompilerInstance &Compiler, const std::vector<std::string> &Args) override {
    for (StringRef Arg : Args) {
      auto [Key, Value] = Arg.split('=');
      if (std::string Problem = set(Key, Value); !Problem.empty()) {
        refuse(Problem, Compiler.getDiagnostics());
        return false;
      }
    }
    return true;
  }

private:
  static void refuse(StringRef Problem, DiagnosticsEngine &Diags) {
    Diags.Report(Diags.getCustomDiagID(DiagnosticsEngine::Error, "MetaSan plugin: %0")) << Problem;
  }

  /// What is wrong with it; empty when nothing is.
  std::string set(StringRef Key, StringRef Value) {
    auto Wrong = [&](StringRef Expected) {
      return ("invalid value '" + Value + "' for '" + Key + "': expected " + Expected).str();
    };
    if (Key == "checks") {
      Chosen.Checks = Value;
      if (llvm::none_of(kRules, [&](const RuleInfo &R) { return isOn(R, Value); }))
        return Wrong("a list of checks, such as 'metasan-*,-metasan-meta-copy-out'");
    } else if (Key == "confidence") {
      if (Value != "definite" && Value != "maybe")
        return Wrong("'definite' or 'maybe'");
      Chosen.Options.Least =
          Value == "definite" ? analysis::Confidence::Definite : analysis::Confidence::Maybe;
    } else if (Key == "block-budget") {
      if (Value.getAsInteger(10, Chosen.Limit.BlockVisits))
        return Wrong("a number");
    } else if (Key == "checkpoint-path") {
      Chosen.Options.CheckpointPath = Value;
    } else if (Key == "model-file") {
      Chosen.ModelFile = Value;
    } else {
      return ("unknown option '" + Key +
              "'; there are: block-budget, checkpoint-path, checks, confidence, model-file")
          .str();
    }
    return {};
  }

  Settings Chosen;
};

FrontendPluginRegistry::Add<Action>
    Registration("metasan", "Finds code that treats a tensor without data as if it had data.");

} // namespace
} // namespace metasan::plugin
