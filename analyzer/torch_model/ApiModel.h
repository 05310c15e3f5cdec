//===- ApiModel.h - What a call does to tensors and modules ------------------===//
//
// Resolves a function to its line in api_model.def, to its traits as an operator (OperatorTable.h),
// or to the rule of its owner.
//
//===----------------------------------------------------------------------===//
#ifndef METASAN_ANALYZER_TORCH_MODEL_API_MODEL_H
#define METASAN_ANALYZER_TORCH_MODEL_API_MODEL_H

#include "torch_model/OperatorTable.h"
#include "torch_model/Types.h"

#include "clang/AST/Decl.h"

namespace metasan::analysis {

/// Where a function lives.
enum class Owner : std::uint8_t {
  User,    ///< anywhere else: nothing is known of it
  Tensor,  ///< a method of at::Tensor or at::TensorBase
  Storage, ///< a method of c10::Storage or c10::TensorImpl
  Aten,    ///< a free function in at, c10, torch, or one of their operator namespaces
  Module,  ///< a method of torch::nn::Module or of a module LibTorch ships, or one that overrides
           ///< such a method
  Options, ///< a method of c10::TensorOptions
  Device,  ///< a method of c10::Device
  MetaSan, ///< a free function in metasan
  Std,     ///< a free function in std
};

enum class Effect : std::uint8_t {
  Default,            ///< no line in the tables: the rule of the owner
  ReadsValues,        ///< needs the values of all its tensors
  RawAccess,          ///< gives out the memory
  CopyOut,            ///< needs data, unless the target is meta or only the dtype changes
  CopyFromArgument,   ///< needs the data of its argument when the object has storage
  Overwrites,         ///< writes the whole object without reading it
  WholeView,          ///< a view of all elements of the object
  PartView,           ///< a view of some elements of the object
  Copies,             ///< a copy, of whatever is there
  KeepsValues,        ///< changes metadata only, in place
  OtherTensor,        ///< a tensor whose state has nothing to do with the object's
  WritesPart,         ///< writes a part of the object without reading the rest
  SetData,            ///< gives the object what the argument has
  AsksMeta,           ///< true exactly for meta
  AsksReal,           ///< true only for what is not meta
  AsksDevice,         ///< the device, or options with it
  AsksState,          ///< metasan::State
  SetsDevice,         ///< options with the device of the argument
  NoDevice,           ///< options without a device
  MakesReal,          ///< a tensor with data, also inside the scope
  MakesUninitialized, ///< memory without values
  Save,               ///< needs the data of all it is given
  MoveModule,         ///< needs the data of all tensors, unless only the dtype changes
  ModuleTensors,      ///< a container of the module's tensors
  Submodules,         ///< a container of the module's parts
  CloneModule,        ///< a new module in the same state
  RegisterPart,       ///< returns the part it was given
  Forward,            ///< calls the module
  ChangesUnknown,     ///< may give data to any tensor of the module
  Load,               ///< gives data to all tensors of its first argument
  LoadAndDispatch,    ///< the same, and places it on its devices
  Dispatch,           ///< needs the weights of its first argument
  Allocate,           ///< gives memory without values to what is empty
  BuildEmpty,         ///< runs its argument inside the scope
  SameObject,         ///< returns its argument
  GetElement,         ///< std::get<I>
  MakeObject,         ///< constructs the object it returns a pointer to
  MakeAggregate,      ///< std::make_pair, std::make_tuple
  Swap,               ///< exchanges what its arguments hold
};

struct Call {
  Owner Where = Owner::User;
  Effect What = Effect::Default;
  OperatorTraits Traits = {}; ///< of a method of at::Tensor and of a function in at, c10 or torch
};

class ApiModel {
public:
  explicit ApiModel(TypeOracle &Types) : Types(Types) {}

  Call resolve(const clang::FunctionDecl *Function);

  /// A function of torch::nn::init: gives values to the whole of its first argument.
  bool isInitializer(const clang::FunctionDecl *Function);
  /// Declared by LibTorch, MetaSan or the standard library.
  bool isLibrary(const clang::FunctionDecl &Function);
  /// The user's own forward that a call of a module runs; null when there is none in sight.
  const clang::FunctionDecl *forwardOf(const clang::CallExpr *E);

private:
  Owner ownerOf(const clang::FunctionDecl &Function);

  TypeOracle &Types;
  llvm::DenseMap<const clang::FunctionDecl *, Call> Cache;
};

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_TORCH_MODEL_API_MODEL_H
