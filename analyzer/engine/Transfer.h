//===- Transfer.h - What one step of a function does to the state ------------===//
#ifndef METASAN_ANALYZER_ENGINE_TRANSFER_H
#define METASAN_ANALYZER_ENGINE_TRANSFER_H

#include "engine/Guards.h"
#include "engine/Summary.h"
#include "metasan/rules.h"

#include "clang/Analysis/CFG.h"

namespace metasan::analysis {

/// A place where data are needed, as one path reaches it.
struct Use {
  Rule Violates;
  const clang::Expr *Site;
  const clang::Expr *Subject =
      nullptr;                ///< the tensor or module, as spelled there; null when nothing does
  std::string Operation = {}; ///< "to", "item", "dispatch_model"
  NodeSet Objects = {};
  StateSet Bad = EmptyBits; ///< the states of Objects that are wrong
  /// Wrong only if one of these has data; nothing when the objects alone decide.
  std::optional<NodeSet> Companions = std::nullopt;
  /// Wrong whenever it is reached.
  bool Always = false;
  bool Certain = true; ///< false: one of several things that may be called there does it
  bool WholeModule = false;
  ScopeIssue Issue = ScopeIssue::None;
  const Node *Scope = nullptr;            ///< the innermost that is open
  const clang::VarDecl *Static = nullptr; ///< of a StaticTable
  const Requirement *Through = nullptr;   ///< what the callee needs, when it happens there
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
  /// The paths on which it returns; nothing when it cannot be run: the body is not known, or calls
  /// nest too deep.
  virtual std::optional<std::vector<State>> inlineCall(const clang::CXXMethodDecl &Operator,
                                                       const State &S) = 0;
};

/// How something came about that is created while the innermost open scope decides.
Birth birthInScope(const clang::Stmt *Site, const State &S);

/// The object of a member or operator call; null for others.
const clang::Expr *objectOf(const clang::CallExpr *E);
/// The arguments proper, without the object of an operator call.
llvm::ArrayRef<const clang::Expr *> argumentsOf(const clang::CallExpr *E);

class Translation;

/// A tensor or module among the arguments of a call.
struct Operand {
  const clang::Expr *Spelled;
  NodeSet Objects;
};

class Transfer {
public:
  Transfer(FunctionContext &Context, const FactTable &Facts, Inliner &Lambdas)
      : Context(Context), Facts(Facts), Branches(Context, Facts), Lambdas(Lambdas) {}

  /// Where uses are told to; null while the fixpoint is still being looked for.
  UseSink *Sink = nullptr;
  /// Where a return statement leaves its value.
  const Node *ReturnSlot = nullptr;

  /// Carries a state over one element. Paths that part here, since a bool took a value that decides
  /// a later branch, are all returned.
  std::vector<State> apply(const clang::CFGElement &Element, State S);

  const Guards &branches() const { return Branches; }

  /// A conditional has the value of the side that was taken.
  void take(const clang::Expr *Conditional, const clang::Expr *Side, State &S);

private:
  void statement(const clang::Stmt *Statement, State &S);
  void declare(const clang::VarDecl *Var, State &S);
  void bind(const Node *Place, clang::QualType Type, const clang::Expr *Init, State &S);
  void assign(const NodeSet &Places, const NodeSet &Values, State &S);
  void assignment(const clang::CXXOperatorCallExpr *E, State &S);
  void construct(const clang::CXXConstructExpr *E, State &S);
  void capture(const clang::LambdaExpr *E, State &S);
  void initList(const clang::InitListExpr *E, State &S);
  void construction(const clang::Expr *E, TypeClass Class, State &S);
  void lifetimeEnds(const clang::VarDecl *Var, State &S);

  // Calls, by owner.
  void call(const clang::CallExpr *E, State &S);
  void tensorCall(const clang::CallExpr *E, const Call &Callee, State &S);
  void readValues(const clang::CallExpr *E, llvm::ArrayRef<Operand> Operands, State &S);
  void copyOut(const clang::CallExpr *E, State &S);
  void copyInto(const clang::CallExpr *E, const clang::Expr *Object, State &S);
  void overwrite(const clang::CallExpr *E, const Call &Callee, const NodeSet &Objects, State &S);
  void inPlace(const clang::CallExpr *E, const Call &Callee, llvm::ArrayRef<Operand> Operands,
               State &S);
  void moduleCall(const clang::CallExpr *E, Effect What, State &S);
  void forwardCall(const clang::CallExpr *E, const clang::Expr *Object, State &S);
  void registerPart(const clang::CallExpr *E, const NodeSet &Modules, State &S);
  void metaSanCall(const clang::CallExpr *E, Effect What, State &S);
  void loadInto(const clang::Expr *E, const clang::Expr *Target, StateSet After, State &S);
  void dispatch(const clang::CallExpr *E, State &S);
  /// A load, or a call that promises one, gives an object its data.
  void fill(const Node *Object, const clang::Expr *Site, StateSet After, State &S);
  void recordPlacement(const Node *Module, const clang::Expr *Site, const State &S);
  /// Views of what is filled have its data too.
  void viewsFollow(const Node *Object, State &S);
  void buildEmpty(const clang::CallExpr *E, State &S);
  void standardCall(const clang::CallExpr *E, Effect What, State &S);
  bool memberOfStandardType(const clang::CXXMemberCallExpr *E, State &S);

  // Calls of functions that have been summarized, or that the user describes.
  /// False when nothing is known of the callee.
  /// MayPart: what the callee returns may decide a branch, and the paths are kept apart by it.
  bool knownCall(const clang::Expr *E, const clang::FunctionDecl *Callee,
                 const CallArguments &Arguments, State &S, bool MayPart = false);
  /// The statement goes on along each of these.
  void part(std::vector<State> Paths, State &S);
  /// The paths after a call that can come back, by what it returns.
  void afterCall(const clang::Expr *E, std::vector<std::pair<State, std::optional<bool>>> Paths,
                 bool MayPart, State &S);
  llvm::SmallVector<const clang::FunctionDecl *, 2>
  targetsOf(const clang::Expr *E, const clang::FunctionDecl &Callee) const;
  void checkRequirements(const clang::Expr *E, const Summary &Callee,
                         const CallArguments &Arguments, bool Certain, State &S);
  /// False when the callee cannot leave this way, given its arguments.
  bool applyExit(const clang::Expr *E, const Summary &Callee, const Summary::Exit &Way,
                 const CallArguments &Arguments, State &S);
  /// The function's own constant was made before, on every path.
  const Node *madeMark(const clang::VarDecl &Static) const;
  bool wasMade(const clang::VarDecl &Static, const State &S) const;
  bool isPossible(const ParameterValues &Wanted, const CallArguments &Arguments,
                  const State &S) const;
  /// The state of an object the callee made, as the caller's arguments and scopes decide it.
  StateSet derivedBits(const Node *Inner, StateSet Bits, const Summary &Callee,
                       Translation &Translate, const State &S) const;
  void applyContract(const clang::Expr *E, const Contract &Promise, const CallArguments &Arguments,
                     bool Before, State &S);
  void constructWithSummary(const clang::Expr *E, const clang::CXXRecordDecl *Class,
                            const Node *Self, llvm::ArrayRef<const clang::Expr *> Arguments,
                            State &S);

  void unknownCall(const clang::Expr *E, const clang::FunctionDecl *Callee,
                   llvm::ArrayRef<const clang::Expr *> Args, State &S);
  void havocArguments(const clang::Expr *E, const clang::FunctionDecl *Callee,
                      llvm::ArrayRef<const clang::Expr *> Args, State &S);
  void havocArgument(const clang::Expr *Site, const clang::Expr *Arg, clang::QualType Param,
                     State &S);
  void havocGlobals(const clang::CallExpr *E, const clang::FunctionDecl *Callee, State &S);
  bool lambdaCall(const clang::CXXOperatorCallExpr *E, State &S);

  // Results.
  void result(const clang::Expr *E, NodeSet Values, State &S);
  void createdResult(const clang::Expr *E, StateSet Bits, Birth How, State &S,
                     bool Replayable = false);
  void openMemberScopes(const Node *Place, clang::QualType Type, State &S);
  void operatorResult(const clang::CallExpr *E, llvm::ArrayRef<Operand> Operands, State &S);

  void needsData(Use What, State &S);
  void needsData(Rule Violates, const clang::Expr *Site, const clang::Expr *Subject, State &S);
  /// A module whose registered parts are all needed.
  void needsAllOf(Rule Violates, const clang::Expr *Site, const clang::Expr *Subject, State &S);
  void mustNotMix(const clang::CallExpr *E, llvm::ArrayRef<Operand> Operands, bool InPlace,
                  State &S);
  void mustBeWritten(const clang::CallExpr *E, llvm::ArrayRef<Operand> Operands, State &S);
  void endTracking(const NodeSet &Objects, State &S);
  /// Wrong under an open scope: this function's, or else the caller's.
  static void dependOnScope(Use &What, const State &S);
  /// The objects, or what is certainly missing in those that are not empty themselves.
  static NodeSet missingIn(const NodeSet &Objects, const State &S);
  void scopeIssue(ScopeIssue Issue, const clang::Expr *Site, const clang::Expr *Subject,
                  const clang::VarDecl *Static, State &S);
  void written(const clang::Expr *Target, State &S);

  FunctionContext &Context;
  const FactTable &Facts;
  Guards Branches;
  Inliner &Lambdas;
  bool Dead = false;         ///< the statement does not come back
  std::vector<State> Others; ///< paths that parted in the middle of the statement
};

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_ENGINE_TRANSFER_H
