//===- Types.h - Which C++ types the analysis tracks ------------------------===//
//
// Sorts types by what they mean to the analysis. Wrappers count as what they wrap: a ModuleHolder,
// a shared_ptr to a module and a ModuleRef all stand for the module itself.
//
//===----------------------------------------------------------------------===//
#ifndef METASAN_ANALYZER_TORCH_MODEL_TYPES_H
#define METASAN_ANALYZER_TORCH_MODEL_TYPES_H

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/DenseMap.h"

namespace metasan::analysis {

enum class TypeClass : std::uint8_t {
  Other,  ///< scalars, strings, enumerations: not tracked
  Record, ///< a plain class: tracked field by field
  Tensor, ///< at::Tensor, its implementation and its storage, and std::optional or a smart pointer
          ///< to them
  Module, ///< torch::nn::Module and subclasses, holders, smart pointers, metasan::ModuleRef
  Device, ///< c10::Device, c10::DeviceType, c10::TensorOptions, optional of them
  Scope,  ///< metasan::InitEmptyWeights, and optional or a smart pointer to it
  Container, ///< a standard or LibTorch container of tensors or modules
};

class TypeOracle {
public:
  /// References and one level of pointer are looked through.
  TypeClass classify(clang::QualType Type);
  TypeClass classify(const clang::CXXRecordDecl *Record);

  bool isTensor(clang::QualType Type) { return classify(Type) == TypeClass::Tensor; }
  bool isModule(clang::QualType Type) { return classify(Type) == TypeClass::Module; }

  /// The type derives from torch::nn::Module itself, so that an object of it is the module and not
  /// a handle to one.
  bool isModuleClass(clang::QualType Type);

  /// The module class behind a holder, a smart pointer, a pointer or a reference; null when there
  /// is none.
  const clang::CXXRecordDecl *heldModule(clang::QualType Type);

  /// The class a standard smart pointer points to; null for other types.
  static const clang::CXXRecordDecl *pointee(clang::QualType Type);

  /// A handle to a Tensor or Module: a copy of it is an alias.
  bool isHandle(clang::QualType Type) {
    TypeClass Class = classify(Type);
    return Class == TypeClass::Tensor || Class == TypeClass::Module;
  }

private:
  TypeClass computeClass(const clang::CXXRecordDecl &Record);
  llvm::DenseMap<const clang::CXXRecordDecl *, TypeClass> Cache;
};

/// "at::Tensor::item": inline namespaces left out, since users and the tables do not spell them.
std::string qualifiedName(const clang::NamedDecl &Decl);

/// The record behind a reference or one level of pointer; null when there is none.
const clang::CXXRecordDecl *recordOf(clang::QualType Type);

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_TORCH_MODEL_TYPES_H
