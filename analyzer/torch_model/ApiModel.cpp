#include "torch_model/ApiModel.h"

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace metasan::analysis {
namespace {

using EffectsByOwner = llvm::SmallVector<std::pair<Owner, Effect>, 2>;

const llvm::StringMap<EffectsByOwner> &table() {
  static const auto *Table = [] {
    auto *Result = new llvm::StringMap<EffectsByOwner>;
#define METASAN_CALL(Where, Name, What) (*Result)[Name].push_back({Owner::Where, Effect::What});
#include "torch_model/api_model.def"
    return Result;
  }();
  return *Table;
}

/// The outermost named namespace around a declaration, and the one it is directly in.
std::pair<llvm::StringRef, llvm::StringRef> namespacesOf(const clang::Decl &D) {
  llvm::StringRef Outermost, Innermost;
  for (const DeclContext *Context = D.getDeclContext(); Context; Context = Context->getParent()) {
    const auto *Namespace = dyn_cast<NamespaceDecl>(Context);
    if (!Namespace || Namespace->isInline() || Namespace->isAnonymousNamespace())
      continue;
    Outermost = Namespace->getName();
    if (Innermost.empty())
      Innermost = Outermost;
  }
  return {Outermost, Innermost};
}

bool isLibTorch(llvm::StringRef Namespace) {
  return Namespace == "at" || Namespace == "torch" || Namespace == "c10";
}

std::string nameOf(const FunctionDecl &Function) {
  // A conversion function's name spells its type as written; the tables know one.
  if (const auto *Conversion = dyn_cast<CXXConversionDecl>(&Function))
    return Conversion->getConversionType()->isBooleanType() ? "operator bool" : "";
  return Function.getNameAsString();
}

} // namespace

Owner ApiModel::ownerOf(const FunctionDecl &Function) {
  auto [Outermost, Innermost] = namespacesOf(Function);
  if (const auto *Method = dyn_cast<CXXMethodDecl>(&Function)) {
    const CXXRecordDecl *Record = Method->getParent();
    switch (Types.classify(Record)) {
    case TypeClass::Tensor:
      if (!isLibTorch(Outermost))
        return Owner::User;
      return Record->getName() == "Storage" || Record->getName() == "TensorImpl" ? Owner::Storage
                                                                                 : Owner::Tensor;
    case TypeClass::Device:
      if (!isLibTorch(Outermost))
        return Owner::User;
      return Record->getName() == "TensorOptions" ? Owner::Options : Owner::Device;
    case TypeClass::Module:
      if (isLibTorch(Outermost) || Function.getNameAsString() == "forward")
        return Owner::Module;
      for (const CXXMethodDecl *Overridden : Method->overridden_methods())
        if (ownerOf(*Overridden) == Owner::Module)
          return Owner::Module;
      return Owner::User;
    default:
      return Owner::User;
    }
  }
  if (Outermost == "metasan")
    return Owner::MetaSan;
  if (Outermost == "std")
    return Owner::Std;
  // Serialization and data loading fill what they are given: nothing is known of them.
  static const llvm::StringSet<> Opaque{"serialize", "data", "jit", "detail", "dynamo"};
  if (isLibTorch(Outermost) && !Opaque.contains(Innermost))
    return Owner::Aten;
  return Owner::User;
}

Call ApiModel::resolve(const FunctionDecl *Function) {
  if (!Function)
    return {};
  Function = Function->getCanonicalDecl();
  auto [Entry, Inserted] = Cache.try_emplace(Function);
  if (!Inserted)
    return Entry->second;
  Call Result{ownerOf(*Function), Effect::Default};
  if (Result.Where != Owner::User) {
    std::string Name = nameOf(*Function);
    if (Result.Where == Owner::Tensor || Result.Where == Owner::Aten)
      Result.Traits = traitsOf(Name);
    if (Result.Traits.DataDependent)
      Result.What = Effect::ReadsValues;
    auto Found = table().find(Name);
    if (Found != table().end())
      for (auto [Where, What] : Found->second)
        if (Where == Result.Where)
          Result.What = What;
  }
  return Cache[Function] = Result;
}

bool ApiModel::isInitializer(const FunctionDecl *Function) {
  return Function && Function->getIdentifier() && Function->getName().ends_with("_") &&
         resolve(Function).Where == Owner::Aten && namespacesOf(*Function).second == "init";
}

bool ApiModel::isLibrary(const FunctionDecl &Function) {
  llvm::StringRef Outermost = namespacesOf(Function).first;
  return isLibTorch(Outermost) || Outermost == "metasan" || Outermost == "std";
}

const FunctionDecl *ApiModel::forwardOf(const CallExpr *E) {
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(E->getDirectCallee());
  if (!Method)
    return nullptr;
  auto InSight = [&](const FunctionDecl *Candidate) -> const FunctionDecl * {
    return Candidate && Candidate->hasBody() && !isLibrary(*Candidate) ? Candidate : nullptr;
  };
  if (Method->getIdentifier() && Method->getName() == "forward")
    return InSight(Method);
  const Expr *Holder = nullptr;
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(E); Operator && E->getNumArgs())
    Holder = E->getArg(0);
  const CXXRecordDecl *Class = Holder ? Types.heldModule(Holder->getType()) : nullptr;
  if (!Class || !Class->hasDefinition())
    return nullptr;
  for (const CXXMethodDecl *Candidate : Class->getDefinition()->methods())
    if (Candidate->getIdentifier() && Candidate->getName() == "forward")
      return InSight(Candidate);
  return nullptr;
}

} // namespace metasan::analysis
