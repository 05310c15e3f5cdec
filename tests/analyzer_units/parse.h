#pragma once

#include "clang/AST/Decl.h"
#include "clang/Frontend/ASTUnit.h"

#include <memory>
#include <string>

namespace metasan::analysis {

/// Parses C++ code with the mock headers of tests/analyzer and MetaSan's own; null when it does not
/// compile without a warning.
std::unique_ptr<clang::ASTUnit> parse(const std::string& code);

/// A function by its qualified name; the last one with that name, instantiations included.
const clang::FunctionDecl& function(clang::ASTUnit& unit, const std::string& name);

/// The text of a file of the checkout.
std::string read_source(const std::string& path);

}  // namespace metasan::analysis
