#include "tests/analyzer_units/parse.h"

#include "torch_model/Types.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Tooling/Tooling.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace metasan::analysis {
namespace {

struct Finder : clang::RecursiveASTVisitor<Finder> {
  explicit Finder(std::string name) : wanted(std::move(name)) {}

  static bool shouldVisitTemplateInstantiations() { return true; }
  bool VisitFunctionDecl(clang::FunctionDecl* decl) {
    if (qualifiedName(*decl) == wanted) {
      found = decl;
    }
    return true;
  }

  std::string wanted;
  const clang::FunctionDecl* found = nullptr;
};

}  // namespace

std::unique_ptr<clang::ASTUnit> parse(const std::string& code) {
  const std::string source = METASAN_SOURCE_DIR;
  auto unit = clang::tooling::buildASTFromCodeWithArgs(
      code, {"-std=c++20", "-nostdinc++", "-Wall", "-isystem", source + "/tests/analyzer/Inputs",
             "-isystem", source + "/include"});
  const auto& diagnostics = unit->getDiagnostics();
  return diagnostics.getNumWarnings() == 0 && !diagnostics.hasErrorOccurred() ? std::move(unit)
                                                                              : nullptr;
}

const clang::FunctionDecl& function(clang::ASTUnit& unit, const std::string& name) {
  Finder finder(name);
  finder.TraverseAST(unit.getASTContext());
  if (finder.found == nullptr) {
    throw std::runtime_error("no function " + name);
  }
  return *finder.found;
}

std::string read_source(const std::string& path) {
  std::ifstream file(std::string(METASAN_SOURCE_DIR) + "/" + path, std::ios::binary);
  if (!file) {
    throw std::runtime_error("cannot read " + path);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace metasan::analysis
