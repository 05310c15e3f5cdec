#include "torch_model/Types.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Type.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace metasan::analysis {
namespace {

const ClassTemplateSpecializationDecl *asSpecialization(const CXXRecordDecl &Record) {
  return dyn_cast<ClassTemplateSpecializationDecl>(&Record);
}

bool derivesFrom(const CXXRecordDecl &Record, llvm::StringRef Name, llvm::StringRef QualifiedName) {
  auto Matches = [&](const CXXRecordDecl &Candidate) {
    return Candidate.getIdentifier() && Candidate.getName() == Name &&
           qualifiedName(Candidate) == QualifiedName;
  };
  if (Matches(Record))
    return true;
  if (!Record.hasDefinition())
    return false;
  // Dependent bases end the search: such a class is analyzed once it is instantiated.
  return !Record.forallBases([&](const CXXRecordDecl *Base) { return !Matches(*Base); });
}

bool isWrapper(llvm::StringRef Name) {
  static const llvm::StringSet<> Names{"shared_ptr", "unique_ptr",        "optional",
                                       "MaybeOwned", "reference_wrapper", "intrusive_ptr"};
  return Names.contains(Name);
}

bool isContainer(llvm::StringRef Name) {
  static const llvm::StringSet<> Names{
      "vector",        "array",        "deque", "list",     "map",         "multimap",
      "unordered_map", "set",          "span",  "ArrayRef", "OrderedDict", "initializer_list",
      "SmallVector",   "unordered_set"};
  return Names.contains(Name);
}

} // namespace

std::string qualifiedName(const NamedDecl &Decl) {
  llvm::SmallVector<std::string, 6> Parts{Decl.getNameAsString()};
  for (const DeclContext *Context = Decl.getDeclContext(); Context;
       Context = Context->getParent()) {
    if (const auto *Namespace = dyn_cast<NamespaceDecl>(Context);
        Namespace && Namespace->isInline())
      continue;
    if (const auto *Named = dyn_cast<NamedDecl>(Context))
      Parts.push_back(Named->getNameAsString());
  }
  std::string Result;
  for (const std::string &Part : llvm::reverse(Parts))
    Result += (Result.empty() ? "" : "::") + Part;
  return Result;
}

const CXXRecordDecl *recordOf(QualType Type) {
  if (Type.isNull())
    return nullptr;
  Type = Type.getNonReferenceType();
  if (Type->isPointerType())
    Type = Type->getPointeeType();
  return Type->getAsCXXRecordDecl();
}

TypeClass TypeOracle::classify(QualType Type) {
  if (Type.isNull())
    return TypeClass::Other;
  Type = Type.getNonReferenceType();
  if (Type->isPointerType())
    Type = Type->getPointeeType();
  if (const auto *Enum = Type->getAs<EnumType>())
    return Enum->getDecl()->getName() == "DeviceType" ? TypeClass::Device : TypeClass::Other;
  return classify(Type->getAsCXXRecordDecl());
}

TypeClass TypeOracle::classify(const CXXRecordDecl *Record) {
  if (!Record)
    return TypeClass::Other;
  Record = Record->getCanonicalDecl();
  auto Found = Cache.find(Record);
  if (Found != Cache.end())
    return Found->second;
  // A class that contains itself by pointer must not recurse for ever.
  Cache[Record] = TypeClass::Record;
  TypeClass Class = computeClass(*Record);
  Cache[Record] = Class;
  return Class;
}

TypeClass TypeOracle::computeClass(const CXXRecordDecl &Record) {
  if (!Record.getIdentifier())
    return TypeClass::Record;
  llvm::StringRef Name = Record.getName();
  if (Name == "Device" || Name == "TensorOptions") {
    std::string Qualified = qualifiedName(Record);
    if (Qualified == "c10::Device" || Qualified == "c10::TensorOptions")
      return TypeClass::Device;
  }
  if (Name == "InitEmptyWeights" && qualifiedName(Record) == "metasan::InitEmptyWeights")
    return TypeClass::Scope;
  if (Name == "ModuleRef" && qualifiedName(Record) == "metasan::ModuleRef")
    return TypeClass::Module;
  if (const auto *Spec = asSpecialization(Record)) {
    const TemplateArgumentList &Args = Spec->getTemplateArgs();
    auto ClassOfArg = [&](unsigned Index) {
      if (Index >= Args.size() || Args[Index].getKind() != TemplateArgument::Type)
        return TypeClass::Other;
      return classify(Args[Index].getAsType());
    };
    if (isWrapper(Name)) {
      TypeClass Inner = ClassOfArg(0);
      return Inner == TypeClass::Other ? TypeClass::Record : Inner;
    }
    if (isContainer(Name)) {
      for (unsigned Index = 0; Index < std::min(2u, Args.size()); ++Index) {
        TypeClass Inner = ClassOfArg(Index);
        if (Inner == TypeClass::Tensor || Inner == TypeClass::Module ||
            Inner == TypeClass::Container)
          return TypeClass::Container;
      }
      return TypeClass::Record;
    }
  }
  // What an OrderedDict holds: a key and a handle.
  if (Name == "Item")
    if (const auto *Outer = dyn_cast<CXXRecordDecl>(Record.getDeclContext()))
      if (const auto *Spec = asSpecialization(*Outer); Spec && Spec->getName() == "OrderedDict")
        return classify(Spec->getTemplateArgs()[1].getAsType());
  if (derivesFrom(Record, "TensorBase", "at::TensorBase") ||
      derivesFrom(Record, "Tensor", "at::Tensor") ||
      derivesFrom(Record, "TensorImpl", "c10::TensorImpl") ||
      derivesFrom(Record, "Storage", "c10::Storage"))
    return TypeClass::Tensor;
  if (derivesFrom(Record, "Module", "torch::nn::Module") ||
      derivesFrom(Record, "ModuleHolder", "torch::nn::ModuleHolder"))
    return TypeClass::Module;
  return TypeClass::Record;
}

const CXXRecordDecl *TypeOracle::pointee(QualType Type) {
  const CXXRecordDecl *Record = recordOf(Type);
  const auto *Spec = Record ? asSpecialization(*Record) : nullptr;
  if (!Spec || !Spec->isInStdNamespace() ||
      (Spec->getName() != "unique_ptr" && Spec->getName() != "shared_ptr"))
    return nullptr;
  const TemplateArgument &Pointee = Spec->getTemplateArgs()[0];
  return Pointee.getKind() == TemplateArgument::Type ? Pointee.getAsType()->getAsCXXRecordDecl()
                                                     : nullptr;
}

const CXXRecordDecl *TypeOracle::heldModule(QualType Type) {
  const CXXRecordDecl *Record = recordOf(Type);
  if (!Record || classify(Record) != TypeClass::Module)
    return nullptr;
  if (isModuleClass(Type))
    return Record;
  auto FromTemplate = [&](const CXXRecordDecl &Candidate) -> const CXXRecordDecl * {
    const auto *Spec = asSpecialization(Candidate);
    if (!Spec || !Spec->getTemplateArgs().size() ||
        Spec->getTemplateArgs()[0].getKind() != TemplateArgument::Type)
      return nullptr;
    return heldModule(Spec->getTemplateArgs()[0].getAsType());
  };
  if (const CXXRecordDecl *Held = FromTemplate(*Record))
    return Held;
  const CXXRecordDecl *Held = nullptr;
  if (Record->hasDefinition())
    Record->forallBases([&](const CXXRecordDecl *Base) {
      Held = FromTemplate(*Base);
      return !Held;
    });
  return Held;
}

bool TypeOracle::isModuleClass(QualType Type) {
  const CXXRecordDecl *Record = recordOf(Type);
  return Record && classify(Record) == TypeClass::Module &&
         derivesFrom(*Record, "Module", "torch::nn::Module");
}

} // namespace metasan::analysis
