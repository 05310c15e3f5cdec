#include "findings/Describe.h"

#include "findings/Spelling.h"

#include "clang/AST/ParentMap.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace metasan::analysis {
namespace {

std::string subject(llvm::StringRef Kind, const std::string &Name) {
  return Name.empty() ? ("this " + Kind).str() : (Kind + " '" + Name + "'").str();
}

class Notes {
public:
  Notes(Diagnosis &D, FunctionContext &Context) : D(D), Context(Context) {}

  void add(SourceLocation Where, std::string Message) {
    if (Where.isValid())
      D.Notes.push_back({Where, std::move(Message)});
  }

  void birth(const Birth &How, const std::string &Name) {
    std::string What = Name.empty() ? "it" : "'" + Name + "'";
    SourceLocation Where = How.Site ? How.Site->getBeginLoc() : SourceLocation();
    if (Where.isInvalid())
      return;
    // In another function the name is another one.
    if (How.Through)
      What = "it";
    switch (How.Kind) {
    case BirthKind::Unknown:
      return;
    case BirthKind::Scope:
      if (How.Scope) {
        std::string Scope = How.Scope->getNameAsString();
        add(Where,
            What + " became empty here: built under the 'InitEmptyWeights' scope '" + Scope + "'");
        add(How.Scope->getLocation(), "scope '" + Scope + "' opened here");
      } else {
        add(Where, What + " became empty here: built under an 'InitEmptyWeights' scope");
      }
      break;
    case BirthKind::BuildEmpty:
      add(Where, What + " became empty here: built by 'init_empty_weights'");
      break;
    case BirthKind::MetaDevice:
      add(Where, What + " became empty here: created on the meta device");
      break;
    case BirthKind::MovedToMeta:
      add(Where, What + " became empty here: moved to the meta device");
      break;
    case BirthKind::Guard:
      add(Where, What + " is known to be empty here: this condition says so");
      break;
    case BirthKind::Uninitialized:
      add(Where, What + " was allocated here, without values");
      break;
    case BirthKind::CallerScope:
      add(Where, What + " became empty here: built while the caller's 'InitEmptyWeights' scope is "
                        "open");
      break;
    case BirthKind::Promised:
      add(Where, What + " became empty here: as an annotation or the model file says");
      break;
    case BirthKind::FromEmpty:
      add(Where, What + " became empty here: computed from something without data");
      if (How.From)
        if (const Birth *Source = Context.Nodes.birthOf(How.From))
          birth(*Source, "");
      break;
    }
    const auto *Call = dyn_cast_or_null<CallExpr>(How.Through);
    if (const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr)
      add(Call->getBeginLoc(), Callee->isInStdNamespace()
                                   ? "what it belongs to is made here"
                                   : "'" + Callee->getNameAsString() + "' is called here");
    else if (How.Through)
      add(How.Through->getBeginLoc(), "what it belongs to is made here");
  }

  /// The way from the call to the place where the data are needed.
  void path(const Requirement &Needed) {
    for (const Expr *Step : Needed.Path) {
      const auto *Call = dyn_cast<CallExpr>(Step);
      bool Last = Step == Needed.Path.back();
      if (Last)
        add(Step->getExprLoc(), lastStep(Needed));
      else if (Call && Call->getDirectCallee())
        add(Step->getExprLoc(),
            "which calls '" + Call->getDirectCallee()->getNameAsString() + "' here");
    }
  }

  /// A branch or loop around the call that would have filled it: on the other way round it does not
  /// happen.
  void branchAround(const Expr *Filling) {
    const Stmt *Current = Filling;
    ParentMap Parents(Context.Function->getBody());
    for (const Stmt *Outer; (Outer = Parents.getParent(Current)); Current = Outer) {
      if (const auto *If = dyn_cast<IfStmt>(Outer)) {
        if (Current == If->getThen() || Current == If->getElse())
          return add(If->getCond()->getBeginLoc(),
                     std::string("not when this condition is ") +
                         (Current == If->getThen() ? "false" : "true"));
      } else if (const auto *While = dyn_cast<WhileStmt>(Outer)) {
        return add(While->getBeginLoc(), "not when this loop never runs");
      } else if (const auto *Switch = dyn_cast<SwitchStmt>(Outer)) {
        return add(Switch->getBeginLoc(), "not for every value of this switch");
      } else if (const auto *Try = dyn_cast<CXXTryStmt>(Outer)) {
        return add(Try->getBeginLoc(), "not when something throws before it");
      } else if (isa<LambdaExpr>(Outer)) {
        return;
      }
    }
  }

private:
  static std::string lastStep(const Requirement &Needed) {
    switch (Needed.Issue) {
    case ScopeIssue::Load:
      return "the weights are loaded here";
    case ScopeIssue::StaticTable:
      return "'" + Needed.Operation + "' is made here, once for all calls";
    case ScopeIssue::ValueRead:
    case ScopeIssue::None:
      break;
    }
    std::string What = Needed.Name.empty() ? "it" : "'" + Needed.Name + "'";
    switch (Needed.Violates) {
    case Rule::MetaWriteLost:
      return What + " is written here";
    case Rule::MetaSaved:
      return What + " is saved here";
    case Rule::DispatchWithoutWeights:
      return What + " is dispatched here";
    case Rule::MoveAfterDispatch:
      return What + " is moved here";
    case Rule::UninitializedRead:
      return What + " is read here";
    default:
      return "the data of " + What + " are needed here";
    }
  }

  Diagnosis &D;
  FunctionContext &Context;
};

/// What an operation wants of a tensor or a module.
std::string need(const Use &At, bool IsModule, bool Sure) {
  std::string Operation = At.Operation == "operator<<"   ? "printing"
                          : At.Operation == "operator()" ? "calling it"
                                                         : "'" + At.Operation + "'";
  if (const auto *Call = At.Through ? dyn_cast<CallExpr>(At.Site) : nullptr;
      Call && Call->getDirectCallee() && Call->getDirectCallee()->getNameAsString() != At.Operation)
    Operation += " in '" + Call->getDirectCallee()->getNameAsString() + "'";
  std::string State = IsModule ? (Sure ? " has no weights yet" : " may have no weights yet")
                               : (Sure ? " has no data" : " may have no data");
  switch (At.Violates) {
  case Rule::MetaCopyOut:
    return State + ": " + Operation + " needs " + (IsModule ? "their data" : "it");
  case Rule::MetaDataDependent:
    return State + ": " + Operation + " needs its values";
  case Rule::MetaRawAccess:
    return State + ": " + Operation + " gives a pointer to nothing";
  case Rule::MetaWriteLost:
    return (Sure ? " has no memory: what " : " may have no memory: what ") + Operation +
           " writes into it is lost";
  case Rule::MetaMixed:
    return State + ": " + Operation + " mixes " + (IsModule ? "them" : "it") +
           " with tensors that have data";
  case Rule::MetaSaved:
    return State + ": " + Operation + " writes a file without " + (IsModule ? "them" : "it");
  case Rule::UninitializedRead:
    return (Sure ? " was never written: " : " may not have been written: ") + Operation +
           " reads whatever was in memory";
  case Rule::DispatchWithoutWeights:
    return State + ": " + Operation + " only places weights that are loaded";
  case Rule::MoveAfterDispatch:
    return (Sure ? " is dispatched: " : " may be dispatched: ") + Operation +
           " would undo where its device map put it";
  case Rule::ScopeMisuse:
  case Rule::WeightsMissing:
    break;
  }
  return State;
}

std::string scopeMessage(const Use &At, const std::string &Who, bool Sure) {
  std::string While = Sure ? "while an 'InitEmptyWeights' scope is open"
                           : "while an 'InitEmptyWeights' scope may be open";
  switch (At.Issue) {
  case ScopeIssue::Load:
    return (At.Subject ? Who : "a module") + " is loaded " + While +
           ": end the scope before the load";
  case ScopeIssue::StaticTable:
    return "the static '" + At.Operation + "' is first made " + While +
           ": it stays empty for the whole program";
  case ScopeIssue::ValueRead:
  case ScopeIssue::None:
    break;
  }
  return Who + " is read by '" + At.Operation + "' " + While +
         ": its values are not known before they are loaded";
}

} // namespace

std::string nameOf(const Expr *E, const ASTContext &AST) {
  // A macro's argument has a spelling of its own; what the macro's body spells is no name the user
  // gave.
  std::string Text = textOf(spelled(E)->getSourceRange(), AST);
  constexpr std::size_t Readable = 40;
  bool IsName = Text.size() <= Readable && Text.find_first_of("\n?") == std::string::npos;
  return IsName ? Text : "";
}

Diagnosis describe(const Use &At, Confidence Certainty, const Node *Culprit,
                   FunctionContext &Context) {
  Diagnosis D;
  D.Violates = At.Violates;
  D.Certainty = Certainty;
  D.Where = At.Site->getExprLoc();
  D.Range = At.Site->getSourceRange();
  D.Call = dyn_cast<CallExpr>(At.Site);
  D.Site = At.Site;
  D.Subject = At.Subject;
  D.InCallee = At.Through != nullptr;
  bool IsModule = isModule(At.Subject, Context.Types);
  std::string Name = At.Subject ? nameOf(At.Subject, Context.AST) : "";
  std::string Who = subject(IsModule ? "module" : "tensor", Name);
  if (At.Subject && Context.Types.classify(At.Subject->getType()) == TypeClass::Container) {
    Who = Name.empty() ? "a tensor in it" : "a tensor in '" + Name + "'";
    Name.clear();
  }
  // What the caller passes holds the tensor that the callee names.
  if (At.Through && (!At.Subject || !Context.Types.isHandle(At.Subject->getType()))) {
    Who = subject("tensor", At.Through->Name);
    if (!Name.empty())
      Who += " of '" + Name + "'";
  }
  bool Sure = Certainty == Confidence::Definite;
  Notes Explain(D, Context);
  D.Message = At.Violates == Rule::ScopeMisuse ? scopeMessage(At, Who, Sure)
                                               : Who + need(At, IsModule, Sure);
  if (At.Through)
    Explain.path(*At.Through);
  if (At.Violates == Rule::ScopeMisuse && At.Scope && At.Scope->Kind == NodeKind::Variable) {
    const auto *Scope = static_cast<const VarDecl *>(At.Scope->Key);
    Explain.add(Scope->getLocation(), "scope '" + Scope->getNameAsString() + "' opened here");
    return D;
  }
  if (!Culprit)
    return D;
  if (At.Bad == Placed) {
    if (const Expr *Placing = Context.Nodes.placementOf(Culprit))
      Explain.add(Placing->getBeginLoc(), "it was put on its devices here");
    return D;
  }
  if (const Birth *How = Context.Nodes.birthOf(Culprit))
    Explain.birth(*How, Name);
  if (At.Bad == Uninitialized)
    if (const Expr *Allocation = Context.Nodes.allocationOf(Culprit))
      Explain.add(Allocation->getBeginLoc(), "it got memory here, without values");
  if (!Sure)
    if (const Expr *Filling = Context.Nodes.fillingOf(Culprit)) {
      Explain.add(Filling->getBeginLoc(), "it gets data here, but not on every path");
      Explain.branchAround(Filling);
    }
  return D;
}

} // namespace metasan::analysis
