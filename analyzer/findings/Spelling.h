//===- Spelling.h - Expressions as users write them --------------------------===//
#ifndef METASAN_ANALYZER_FINDINGS_SPELLING_H
#define METASAN_ANALYZER_FINDINGS_SPELLING_H

#include "torch_model/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

#include <string>

namespace metasan::analysis {

/// The expression a user sees: no conversions, no implicit dereference of a holder.
const clang::Expr *spelled(const clang::Expr *E);

/// What the range says in its file; empty when a macro spells a part of it.
std::string textOf(clang::SourceRange Range, const clang::ASTContext &AST);

/// It stands for a module, as it is spelled or as it is converted.
bool isModule(const clang::Expr *E, TypeOracle &Types);

/// The call spells the argument: it is not a default.
bool isGiven(const clang::CallExpr &E, unsigned Index);

/// Both stand for the same object: they name one variable or field, through whatever handles.
bool isSameHandle(const clang::Expr *A, const clang::Expr *B);

/// The variable or field that a handle begins with: "model" of "model->fc.ptr()"; null when it
/// begins with anything else.
const clang::ValueDecl *rootVariable(const clang::Expr *E);

/// MetaSan's functions take what it points to, not the handle itself.
bool needsDereference(clang::QualType Handle);

/// A module as an argument of MetaSan's functions, which take a holder, a shared_ptr or a
/// reference: "model", "*pointer", "*this". Object is a module, a handle to one, or the object of a
/// call of its method; empty when a macro spells it.
std::string moduleArgument(const clang::Expr *Object, const clang::ASTContext &AST);

/// Evaluating it does nothing but to give its value, so that it can be left out.
bool isFreeOfEffects(const clang::Expr *E);

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_FINDINGS_SPELLING_H
