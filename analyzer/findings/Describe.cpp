#include "findings/Describe.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace metasan::analysis {
namespace {

/// The expression a user sees: no conversions, no implicit dereference of a holder.
const Expr *spelled(const Expr *E) {
  for (;;) {
    const Expr *Inner = stripped(E);
    if (const auto *Cast = dyn_cast<ImplicitCastExpr>(Inner))
      Inner = Cast->getSubExpr();
    else if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(Inner))
      Inner = Temporary->getSubExpr();
    else if (const auto *Construct = dyn_cast<CXXConstructExpr>(Inner);
             Construct && Construct->getNumArgs() >= 1 && !isa<CXXTemporaryObjectExpr>(Construct))
      Inner = Construct->getArg(0);
    else if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(Inner);
             Operator && Operator->getOperator() == OO_Arrow)
      Inner = Operator->getArg(0);
    else if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(Inner);
             Operator && Operator->getOperator() == OO_Star && Operator->getNumArgs() == 1)
      Inner = Operator->getArg(0);
    else if (const auto *Unary = dyn_cast<UnaryOperator>(Inner);
             Unary && Unary->getOpcode() == UO_Deref)
      Inner = Unary->getSubExpr();
    if (Inner == E)
      return E;
    E = Inner;
  }
}

std::string subject(llvm::StringRef Kind, const std::string &Name) {
  return Name.empty() ? ("this " + Kind).str() : (Kind + " '" + Name + "'").str();
}

void noteBirth(const Birth &How, const std::string &Name, Diagnosis &D, FunctionContext &Context) {
  std::string What = Name.empty() ? "it" : "'" + Name + "'";
  SourceLocation Where = How.Site ? How.Site->getBeginLoc() : SourceLocation();
  if (Where.isInvalid())
    return;
  switch (How.Kind) {
  case BirthKind::Unknown:
    return;
  case BirthKind::Scope:
    if (How.Scope) {
      D.Notes.push_back(
          {Where, What + " became empty here: built under the 'InitEmptyWeights' scope '" +
                      How.Scope->getNameAsString() + "'"});
      D.Notes.push_back(
          {How.Scope->getLocation(), "scope '" + How.Scope->getNameAsString() + "' opened here"});
    } else {
      D.Notes.push_back(
          {Where, What + " became empty here: built under an 'InitEmptyWeights' scope"});
    }
    return;
  case BirthKind::BuildEmpty:
    D.Notes.push_back({Where, What + " became empty here: built by 'init_empty_weights'"});
    return;
  case BirthKind::MetaDevice:
    D.Notes.push_back({Where, What + " became empty here: created on the meta device"});
    return;
  case BirthKind::MovedToMeta:
    D.Notes.push_back({Where, What + " became empty here: moved to the meta device"});
    return;
  case BirthKind::Guard:
    D.Notes.push_back({Where, What + " is known to be empty here: this condition says so"});
    return;
  case BirthKind::FromEmpty:
    D.Notes.push_back({Where, What + " became empty here: computed from something without data"});
    if (How.From)
      if (const Birth *Source = Context.Nodes.birthOf(How.From))
        noteBirth(*Source, "", D, Context);
    return;
  }
}

} // namespace

std::string nameOf(const Expr *E, const ASTContext &AST) {
  E = spelled(E);
  const SourceManager &Sources = AST.getSourceManager();
  // A macro's argument has a spelling of its own; what the macro's body spells is no name the user
  // gave.
  CharSourceRange Range = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(E->getSourceRange()), Sources, AST.getLangOpts());
  llvm::StringRef Text = Lexer::getSourceText(Range, Sources, AST.getLangOpts());
  constexpr std::size_t Readable = 40;
  bool IsName = !Text.empty() && Text.size() <= Readable &&
                Text.find_first_of("\n?") == llvm::StringRef::npos;
  return IsName ? Text.str() : "";
}

Diagnosis describe(const Use &At, Confidence Certainty, const Node *Culprit,
                   FunctionContext &Context) {
  Diagnosis D;
  D.Violates = At.Violates;
  D.Certainty = Certainty;
  D.Where = At.Site->getExprLoc();
  D.Range = At.Site->getSourceRange();
  D.Call = dyn_cast<CallExpr>(At.Site);
  D.Subject = At.Subject;
  bool IsModule = Context.Types.isModule(spelled(At.Subject)->getType()) ||
                  Context.Types.isModule(At.Subject->getType());
  std::string Name = nameOf(At.Subject, Context.AST);
  std::string Who = subject(IsModule ? "module" : "tensor", Name);
  bool Sure = Certainty == Confidence::Definite;
  std::string State = IsModule ? (Sure ? " has no weights yet" : " may have no weights yet")
                               : (Sure ? " has no data" : " may have no data");
  std::string Operation = "'" + At.Operation + "'";
  if (At.Operation == "operator<<")
    Operation = "printing";
  switch (At.Violates) {
  case Rule::MetaCopyOut:
    D.Message = Who + State + ": " + Operation + " needs " + (IsModule ? "their data" : "it");
    break;
  case Rule::MetaDataDependent:
    D.Message = Who + State + ": " + Operation + " needs its values";
    break;
  case Rule::DispatchWithoutWeights:
    D.Message = Who + State + ": " + Operation + " only places weights that are loaded";
    break;
  default:
    D.Message = Who + State;
    break;
  }
  const Birth *How = Context.Nodes.birthOf(Culprit);
  if (How)
    noteBirth(*How, Name, D, Context);
  if (!Sure)
    if (const Expr *Filling = Context.Nodes.fillingOf(Culprit))
      D.Notes.push_back({Filling->getBeginLoc(), "it gets data here, but not on every path"});
  return D;
}

} // namespace metasan::analysis
