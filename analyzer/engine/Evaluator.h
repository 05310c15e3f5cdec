//===- Evaluator.h - What an expression denotes ------------------------------===//
#ifndef METASAN_ANALYZER_ENGINE_EVALUATOR_H
#define METASAN_ANALYZER_ENGINE_EVALUATOR_H

#include "engine/State.h"
#include "torch_model/ApiModel.h"
#include "torch_model/Contract.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseSet.h"

namespace metasan::analysis {

class SummaryStore;

/// What all parts of one function's analysis share.
struct FunctionContext {
  const clang::FunctionDecl *Function;
  clang::ASTContext &AST;
  TypeOracle &Types;
  ApiModel &Api;
  Arena &Nodes;
  /// Variables a lambda that escapes has captured by reference: anything may happen to them at any
  /// time.
  llvm::DenseSet<const clang::ValueDecl *> Escaped;
  const SummaryStore &Summaries;
  const ContractTable &Contracts;
  bool CallsUnknown = false; ///< a call was met that may change any global
};

/// Leaves out what changes neither the place nor the object: parentheses, casts, temporaries'
/// bookkeeping.
const clang::Expr *stripped(const clang::Expr *E);

class Evaluator {
public:
  Evaluator(FunctionContext &Context, const State &S) : Context(Context), S(S) {}

  /// Of a glvalue: the places it designates. Of a pointer: those it points to. Of a handle by
  /// value: its objects.
  NodeSet places(const clang::Expr *E) const;
  /// The tensors or modules behind a handle, a pointer or a reference to one.
  NodeSet objects(const clang::Expr *E) const;
  /// The elements of a container that something was stored to.
  NodeSet elements(const clang::Expr *Container) const;

  DeviceKind device(const clang::Expr *E) const;

private:
  NodeSet placesOfVariable(const clang::ValueDecl *Decl, const clang::Expr *E) const;
  NodeSet placesOfMember(const clang::MemberExpr *E) const;
  NodeSet placesOfOperator(const clang::CXXOperatorCallExpr *E) const;
  NodeSet placesOfCall(const clang::CallExpr *E) const;
  bool isEntryOfMap(const Node *Place, bool Second) const;
  NodeSet element(const NodeSet &Containers, const clang::Expr *Index) const;
  NodeSet remembered(const clang::Expr *E) const;
  DeviceKind deviceOfCall(const clang::CallExpr *E) const;
  DeviceKind deviceOfVariable(const clang::VarDecl *Var) const;

  FunctionContext &Context;
  const State &S;
};

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_ENGINE_EVALUATOR_H
