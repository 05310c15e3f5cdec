#include "findings/Advice.h"

#include "findings/Describe.h"
#include "findings/Spelling.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace metasan::analysis {
namespace {

/// The variable or field that what is created at a place is kept in.
class HolderSearch : public RecursiveASTVisitor<HolderSearch> {
public:
  explicit HolderSearch(const Stmt &Creation) : Creation(Creation) {}

  bool shouldVisitImplicitCode() const { return true; }
  bool VisitVarDecl(VarDecl *Var) {
    if (Var->getInit() && contains(Var->getInit()))
      Holder = Var;
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *E) {
    if (E->getOperator() == OO_Equal && contains(E->getArg(1)))
      Holder = rootVariable(E->getArg(0));
    return true;
  }

  const ValueDecl *Holder = nullptr;

private:
  bool contains(const Stmt *S) const {
    if (!S || S == &Creation)
      return S != nullptr;
    if (const auto *Lambda = dyn_cast<LambdaExpr>(S))
      return contains(Lambda->getBody());
    return llvm::any_of(S->children(), [&](const Stmt *Child) { return contains(Child); });
  }
  const Stmt &Creation;
};

/// What a member, an element or the result of a method belongs to; null for anything else.
const Expr *ownerOf(const Expr *E) {
  if (const auto *Member = dyn_cast<MemberExpr>(E))
    return Member->getBase();
  if (const auto *Call = dyn_cast<CXXMemberCallExpr>(E))
    return Call->getImplicitObjectArgument();
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E);
      Operator && Operator->getOperator() == OO_Subscript)
    return Operator->getArg(0);
  return nullptr;
}

class Adviser {
public:
  Adviser(const Diagnosis &D, const Surroundings &Around) : D(D), Around(Around) {}

  std::string advise() {
    switch (D.Violates) {
    case Rule::DispatchWithoutWeights:
      return D.InCallee ? loadFirst() : loadAndPlace(argument(1));
    case Rule::MetaCopyOut:
      if (isModule(D.Subject, Around.Types) && !D.InCallee)
        return loadAndPlace(argument(0), castOf());
      return isFromModule() ? loadFirst() : createdWithout();
    case Rule::MetaSaved:
      return isFromModule() ? loadFirst("load the weights before they are saved") : "";
    case Rule::MetaWriteLost:
      return isFromModule() ? loadInstead() : createdWithout();
    case Rule::MetaDataDependent:
    case Rule::MetaRawAccess:
    case Rule::MetaMixed:
    case Rule::UninitializedRead:
      return isFromModule() ? loadFirst() : createdWithout();
    case Rule::MoveAfterDispatch:
      return leaveOut();
    case Rule::ScopeMisuse:
      return isUnnamedScope(D, Around.Types)
                 ? "name it, in a block that ends before the weights are needed: '{ "
                   "metasan::InitEmptyWeights scope; ... }'"
                 : "";
    case Rule::WeightsMissing:
      break;
    }
    return "";
  }

private:
  /// The values are those of a module, or of something computed from one.
  bool isFromModule() const {
    const auto *Origin = dyn_cast_or_null<Expr>(D.Origin);
    return isModule(D.Subject, Around.Types) || (Origin && isModule(Origin, Around.Types)) ||
           !module().empty();
  }

  /// The module, spelled as an argument, whose weights are missing: what the finding's subject is
  /// or belongs to, or the variable that holds what it was taken from. Empty when there is no name.
  std::string module() const {
    std::string Spelled;
    for (const Expr *E = D.Subject; E; E = ownerOf(spelled(E))) {
      const Expr *Seen = spelled(E);
      // Inside a method, a part of the object at hand stands for itself.
      if (isa<CXXThisExpr>(Seen) && !Spelled.empty())
        break;
      if (isModule(E, Around.Types))
        Spelled = moduleArgument(Around.Types.isModule(Seen->getType()) ? Seen : E, Around.AST);
    }
    if (!Spelled.empty() || !D.Origin || !Around.Site)
      return Spelled;
    HolderSearch Search(*D.Origin);
    Search.TraverseStmt(D.Function->getBody());
    if (!Search.Holder || !Around.Site->canName(Search.Holder) ||
        !Around.Types.isModule(Search.Holder->getType()))
      return "";
    return (needsDereference(Search.Holder->getType()) ? "*" : "") +
           Search.Holder->getNameAsString();
  }

  std::string argument(unsigned Index) const {
    return D.Call && D.Call->getNumArgs() > Index
               ? textOf(D.Call->getArg(Index)->getSourceRange(), Around.AST)
               : "";
  }
  /// The dtype of "to(device, dtype)".
  std::string castOf() const {
    bool Casts = D.Call && isGiven(*D.Call, 1) && !D.Call->getArg(1)->getType()->isBooleanType();
    return Casts ? argument(1) : "";
  }
  std::string checkpoint() const { return Around.Checkpoint.value_or("<checkpoint>"); }

  std::string loadAndPlace(const std::string &Device, const std::string &Dtype = "") const {
    if (Around.Later && Around.Later->What == LaterLoad::Kind::Native)
      return "call 'torch::load' first: it gives the module its weights";
    std::string Module = module();
    if (Module.empty() || Device.empty())
      return "";
    std::string Options = Dtype.empty() ? "" : ", {.dtype = " + Dtype + "}";
    return afterScope("load the weights and place them in one step") +
           ": 'metasan::load_checkpoint_and_dispatch(" + Module + ", " + checkpoint() + ", " +
           Device + Options + ")'";
  }
  /// A load under the scope would be a mistake of its own.
  std::string afterScope(const std::string &What) const {
    return (D.UnderScope ? "end the 'InitEmptyWeights' scope, then " : "") + What;
  }
  std::string load() const {
    std::string Module = module();
    return "'metasan::load_checkpoint_in_model(" + (Module.empty() ? "<module>" : Module) + ", " +
           checkpoint() + ")'";
  }
  std::string loadFirst(const std::string &What = "") const {
    bool BeforeCall = D.InCallee && !D.UnderScope;
    std::string Default = D.UnderScope ? "load the weights"
                          : BeforeCall ? "load the weights before this call"
                                       : "load the weights first";
    return afterScope(What.empty() ? Default : What) + ": " + load();
  }
  std::string loadInstead() const {
    std::string Result = afterScope("let a load give it memory") + ": " + load();
    std::string Tensor = D.Subject ? nameOf(D.Subject, Around.AST) : "";
    std::string Source =
        !D.InCallee && D.Call && D.Call->getNumArgs() ? nameOf(D.Call->getArg(0), Around.AST) : "";
    bool IsCopy = D.Call && D.Call->getDirectCallee() &&
                  D.Call->getDirectCallee()->getNameAsString() == "copy_";
    if (IsCopy && !Tensor.empty() && !Source.empty())
      Result += "; or give it the tensor's own: '" + Tensor + ".set_data(" + Source + ")'";
    return Result;
  }

  /// Advice for a tensor that nobody loads.
  std::string createdWithout() const {
    switch (D.Cause) {
    case EmptyBy::Unknown:
      return "";
    case EmptyBy::Scope:
      return "create it where no 'InitEmptyWeights' scope is open";
    case EmptyBy::MovedToMeta:
      return "use the tensor that was moved to the meta device: it has the data";
    case EmptyBy::MetaDevice:
      return D.Violates == Rule::MetaCopyOut && !D.InCallee && !targetOfCopy().empty()
                 ? "for memory of its shape there: 'torch::empty_like(" +
                       nameOf(D.Subject, Around.AST) + ", " + targetOfCopy() + ")'"
                 : "create it on a device that holds data, such as 'torch::kCPU'";
    case EmptyBy::Allocation:
      return "write all of it first, or create it with 'torch::zeros'";
    }
    return "";
  }
  /// The device of "t.to(device)", "t.cpu()" or "t.cuda()".
  std::string targetOfCopy() const {
    const auto *Call = dyn_cast_or_null<CXXMemberCallExpr>(D.Call);
    if (!Call || !Call->getMethodDecl() || !D.Subject || nameOf(D.Subject, Around.AST).empty())
      return "";
    std::string Name = Call->getMethodDecl()->getNameAsString();
    if (Name == "cpu")
      return "torch::kCPU";
    if (Name == "cuda")
      return "torch::kCUDA";
    bool IsDevice = Name == "to" && Call->getNumArgs() &&
                    Around.Types.classify(spelled(Call->getArg(0))->getType()) == TypeClass::Device;
    return IsDevice ? argument(0) : "";
  }

  std::string leaveOut() const {
    if (D.InCallee)
      return "make this call before the module is dispatched, or leave the move out of it";
    return "leave this call out, or name the device when the module is dispatched";
  }

  const Diagnosis &D;
  const Surroundings &Around;
};

} // namespace

bool isUnnamedScope(const Diagnosis &D, TypeOracle &Types) {
  return D.Violates == Rule::ScopeMisuse && Types.classify(D.Site->getType()) == TypeClass::Scope;
}

std::string advise(const Diagnosis &D, const Surroundings &Around) {
  return Adviser(D, Around).advise();
}

} // namespace metasan::analysis
