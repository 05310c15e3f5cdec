//===- Transfer.h - What one step of a function does to the state ------------===//
#ifndef METASAN_ANALYZER_ENGINE_TRANSFER_H
#define METASAN_ANALYZER_ENGINE_TRANSFER_H

#include "engine/Guards.h"
#include "metasan/rules.h"

#include "clang/Analysis/CFG.h"

namespace metasan::analysis {

/// A place where data are needed, as one path reaches it.
struct Use {
  Rule Violates;
  const clang::Expr *Site;
  const clang::Expr *Subject; ///< the tensor or module, as spelled there
  std::string Operation;      ///< "to", "item", "dispatch_model"
  NodeSet Objects;
};

class UseSink {
public:
  virtual ~UseSink() = default;
  virtual void reached(const Use &At, const State &S) = 0;
};

/// Runs a lambda's body where it is called.
class Inliner {
public:
  virtual ~Inliner() = default;
  /// False when it cannot: the body is not known, or calls nest too deep.
  virtual bool inlineCall(const clang::CXXMethodDecl &Operator, State &S) = 0;
};

/// The arguments proper, without the object of an operator call.
llvm::ArrayRef<const clang::Expr *> argumentsOf(const clang::CallExpr *E);

class Transfer {
public:
  Transfer(FunctionContext &Context, const FactTable &Facts, Inliner &Lambdas)
      : Context(Context), Facts(Facts), Branches(Context, Facts), Lambdas(Lambdas) {}

  /// Where uses are told to; null while the fixpoint is still being looked for.
  UseSink *Sink = nullptr;
  /// Where a return statement leaves its value; null outside an inlined lambda.
  const Node *ReturnSlot = nullptr;

  /// Carries a state over one element. Paths that part here, since a bool took a value that decides
  /// a later branch, are all returned.
  std::vector<State> apply(const clang::CFGElement &Element, State S);

  const Guards &branches() const { return Branches; }

private:
  void statement(const clang::Stmt *Statement, State &S);
  void declare(const clang::VarDecl *Var, State &S);
  void bind(const Node *Place, clang::QualType Type, const clang::Expr *Init, State &S);
  void assign(const NodeSet &Places, const NodeSet &Values, State &S);
  void assignment(const clang::CXXOperatorCallExpr *E, State &S);
  void construct(const clang::CXXConstructExpr *E, State &S);
  void initList(const clang::InitListExpr *E, State &S);
  void construction(const clang::Expr *E, TypeClass Class, State &S);
  void lifetimeEnds(const clang::VarDecl *Var, State &S);

  // Calls, by owner.
  void call(const clang::CallExpr *E, State &S);
  void tensorCall(const clang::CallExpr *E, Effect What, State &S);
  void copyOut(const clang::CallExpr *E, State &S);
  void moduleCall(const clang::CallExpr *E, Effect What, State &S);
  void loadInto(const clang::Expr *E, const clang::Expr *Target, State &S);
  void buildEmpty(const clang::CallExpr *E, State &S);
  void standardCall(const clang::CallExpr *E, Effect What, State &S);
  bool memberOfStandardType(const clang::CXXMemberCallExpr *E, State &S);
  void unknownCall(const clang::Expr *E, const clang::FunctionDecl *Callee,
                   llvm::ArrayRef<const clang::Expr *> Args, State &S);
  void havocArgument(const clang::Expr *Site, const clang::Expr *Arg, clang::QualType Param,
                     State &S);
  void havocGlobals(const clang::CallExpr *E, const clang::FunctionDecl *Callee, State &S);
  bool lambdaCall(const clang::CXXOperatorCallExpr *E, State &S);

  // Results.
  void result(const clang::Expr *E, NodeSet Values, State &S);
  void createdResult(const clang::Expr *E, std::uint8_t Bits, Birth How, State &S);
  void operatorResult(const clang::CallExpr *E, llvm::ArrayRef<const clang::Expr *> Operands,
                      State &S);
  Birth birthInScope(const clang::Stmt *Site, const State &S) const;

  void needsData(Rule Violates, const clang::Expr *Site, const clang::Expr *Subject, State &S);
  void written(const clang::Expr *Target, State &S);

  FunctionContext &Context;
  const FactTable &Facts;
  Guards Branches;
  Inliner &Lambdas;
};

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_ENGINE_TRANSFER_H
