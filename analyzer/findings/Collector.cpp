#include "findings/Collector.h"

#include "findings/Describe.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

#include <set>

using namespace clang;

namespace metasan::analysis {
namespace {

/// More than a function can sensibly ask of its callers.
constexpr std::size_t MaxRequirements = 64;

/// The object whose emptiness is one mistake: a part of a module stands for the module.
const Node *rootOf(const Node *Object) {
  while (Object->Kind == NodeKind::Part && Object->Base)
    Object = Object->Base;
  return Object;
}

EmptyBy causeOf(const Birth &How) {
  switch (How.Kind) {
  case BirthKind::Scope:
  case BirthKind::BuildEmpty:
    return EmptyBy::Scope;
  case BirthKind::MetaDevice:
    return EmptyBy::MetaDevice;
  case BirthKind::MovedToMeta:
    return EmptyBy::MovedToMeta;
  case BirthKind::Uninitialized:
    return EmptyBy::Allocation;
  default:
    return EmptyBy::Unknown;
  }
}

/// What a fix has to know about the object.
void addCulprit(Diagnosis &D, const Node &Culprit, const Arena &Nodes) {
  D.IsPart = rootOf(&Culprit) != &Culprit;
  D.Placement = dyn_cast_or_null<CallExpr>(Nodes.placementOf(&Culprit));
  const Birth *How = Nodes.birthOf(&Culprit);
  while (How && How->Kind == BirthKind::FromEmpty && How->From)
    How = Nodes.birthOf(How->From);
  if (!How)
    return;
  D.Cause = causeOf(*How);
  if (!How->Through)
    D.Origin = How->Site;
}

/// Tests that expect the error are right to provoke it.
bool isExpectedToThrow(SourceLocation Where, const ASTContext &AST) {
  const SourceManager &Sources = AST.getSourceManager();
  while (Where.isMacroID()) {
    llvm::StringRef Name = Lexer::getImmediateMacroName(Where, Sources, AST.getLangOpts());
    if (Name.contains("THROW") || Name.contains("DEATH"))
      return true;
    // An argument of the macro is spelled outside it: go by where it is expanded, not by where it
    // is written.
    Where = Sources.getImmediateExpansionRange(Where).getBegin();
  }
  return false;
}

} // namespace

void Collector::reached(const Use &At, const State &S) {
  const Expr *Inside = At.Through ? At.Through->Path.back() : nullptr;
  auto [Entry, New] =
      Totals.try_emplace({At.Violates, At.Site, At.Subject, Inside}, Total{.At = At});
  Total &T = Entry->second;
  if (New)
    Order.push_back(&T);
  T.At.Certain &= At.Certain;
  T.At.Always |= At.Always;
  T.UnderScope |= S.inScope();
  if (At.Scope)
    T.At.Scope = At.Scope;
  std::vector<std::pair<unsigned, bool>> Here = Facts.parameterValues(S);
  if (!T.When)
    T.When.emplace(Here.begin(), Here.end());
  else
    llvm::erase_if(*T.When, [&](auto Known) { return !llvm::is_contained(Here, Known); });

  Outcome Companions = Wrong;
  if (At.Companions) {
    StateSet Bits = S.joinOf(*At.Companions).Bits;
    Companions = hasData(Bits)      ? Wrong
                 : Bits & EmptyBits ? Right
                 : Bits & AtEntry   ? UpToCaller
                                    : Unknowable;
    if (Companions == UpToCaller)
      T.OpenCompanions.insert(*At.Companions);
    T.NeedsNoScope |= Companions == Wrong && !(Bits & ~Ambient) && !S.inScope();
  }
  if (At.Always) {
    T.Outcomes |= Companions;
    if (Companions == Wrong) {
      T.OnlyBlurred &= S.Blurred;
      T.Follows = false;
    }
    return;
  }
  if (At.Objects.empty()) {
    T.AboutScope = true;
    T.Outcomes |= UpToCaller;
  }
  for (const Node *Object : At.Objects)
    reachedObject(T, Object, At.Bad, Companions, S);
}

void Collector::reachedObject(Total &T, const Node *Object, StateSet Bad, Outcome Companions,
                              const State &S) {
  ObjectState One = Object->isObject() ? S.stateOf(Object) : ObjectState{.Bits = Unknown};
  if (Bad == Ambient) {
    bool Depends = One.Bits & Ambient;
    T.AboutScope |= Depends;
    T.Outcomes |= Depends ? UpToCaller : Right;
    return;
  }
  if (One.Bits & Bad) {
    Outcome Itself = One.Bits & Bad & ~Assumed ? Wrong : WrongByAssumption;
    T.Outcomes |= Companions == Wrong ? Itself : Companions;
    if (Companions == Wrong) {
      T.Culprits.insert(Object);
      T.OnlyBlurred &= S.Blurred;
      T.Follows &= One.Used;
    } else if (Companions == UpToCaller) {
      T.Open.insert(Object);
    }
  }
  if (One.Bits & AtEntry) {
    bool Matters = Companions == Wrong || Companions == UpToCaller;
    T.Outcomes |= Matters ? UpToCaller : Companions;
    T.Open.insert(Object);
  }
  if (One.Bits & Unknown)
    T.Outcomes |= Unknowable;
  if (One.Bits & ~(Bad | OpenBits))
    T.Outcomes |= Right;
}

std::vector<Diagnosis> Collector::findings(const FunctionDecl &Function) const {
  std::vector<Diagnosis> Result;
  std::set<std::pair<Rule, const void *>> Reported;
  for (const Total *T : Order) {
    bool Possible = T->Outcomes & (Wrong | WrongByAssumption);
    bool Definite = Possible && !(T->Outcomes & ~(Wrong | WrongByAssumption));
    if (!Possible || (!Definite && (!(T->Outcomes & Wrong) || T->OnlyBlurred)))
      continue;
    if (isExpectedToThrow(T->At.Site->getExprLoc(), Context.AST))
      continue;
    const Node *Culprit = T->Culprits.empty() ? nullptr : *T->Culprits.begin();
    const void *About = Culprit ? static_cast<const void *>(rootOf(Culprit)) : T->At.Site;
    if (!Reported.insert({T->At.Violates, About}).second)
      continue;
    Diagnosis D =
        describe(T->At, Definite && T->At.Certain ? Confidence::Definite : Confidence::Maybe,
                 Culprit, Context);
    D.Function = &Function;
    D.About = About;
    if (Culprit)
      addCulprit(D, *Culprit, Context.Nodes);
    D.Follows = T->Follows;
    D.UnderScope = T->UnderScope;
    Result.push_back(std::move(D));
  }
  return Result;
}

const Node *Collector::origin(const Node *Object) const {
  while (Object && !Object->belongsToCaller()) {
    const Birth *How = Object->Kind == NodeKind::Created ? Context.Nodes.birthOf(Object) : nullptr;
    Object = How ? How->From : nullptr;
  }
  return Object;
}

Requirement Collector::requirement(const Total &T) const {
  Requirement Result{.Violates = T.At.Violates,
                     .Bad = T.At.Bad,
                     .AboutScope = T.AboutScope,
                     .NeedsNoScope = T.NeedsNoScope,
                     .Certain = T.At.Certain && T.Outcomes == UpToCaller,
                     .WholeModule = T.At.WholeModule,
                     .Issue = T.At.Issue,
                     .When = *T.When,
                     .Static = T.At.Static,
                     .Operation = T.At.Operation,
                     .Name = T.At.Through   ? T.At.Through->Name
                             : T.At.Subject ? nameOf(T.At.Subject, Context.AST)
                                            : T.At.Operation,
                     .Path = {T.At.Site}};
  if (T.At.Through)
    Result.Path.insert(Result.Path.end(), T.At.Through->Path.begin(), T.At.Through->Path.end());
  return Result;
}

std::vector<Requirement> Collector::requirements() const {
  std::vector<Requirement> Result;
  std::set<std::tuple<Rule, ScopeIssue, const Node *, const Node *>> Known;
  for (const Total *T : Order) {
    if (!(T->Outcomes & UpToCaller) || Result.size() >= MaxRequirements ||
        isExpectedToThrow(T->At.Site->getExprLoc(), Context.AST))
      continue;
    const Node *Companion = nullptr;
    for (const Node *Object : T->OpenCompanions)
      if (const Node *Origin = origin(Object))
        Companion = Origin;
    if (!T->OpenCompanions.empty() && !Companion)
      continue;
    if (T->AboutScope) {
      if (Known.insert({T->At.Violates, T->At.Issue, nullptr, nullptr}).second)
        Result.push_back(requirement(*T));
      continue;
    }
    for (const Node *Object : T->Open) {
      const Node *Subject = origin(Object);
      bool IsEmpty = !Subject && Companion;
      if ((!Subject && !IsEmpty) ||
          !Known.insert({T->At.Violates, T->At.Issue, Subject, Companion}).second)
        continue;
      Requirement Needed = requirement(*T);
      Needed.Subject = Subject;
      Needed.SubjectIsEmpty = IsEmpty;
      Needed.Companion = Companion;
      Result.push_back(std::move(Needed));
    }
  }
  return Result;
}

} // namespace metasan::analysis
