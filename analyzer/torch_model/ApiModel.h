//===- ApiModel.h - What a call does to tensors and modules ------------------===//
//
// Resolves a function to its line in api_model.def, to its traits as an operator (OperatorTable.h),
// or to the rule of its owner.
//
//===----------------------------------------------------------------------===//
#ifndef METASAN_ANALYZER_TORCH_MODEL_API_MODEL_H
#define METASAN_ANALYZER_TORCH_MODEL_API_MODEL_H

#include "torch_model/Types.h"

#include "clang/AST/Decl.h"

namespace metasan::analysis {

/// Where a function lives.
enum class Owner : std::uint8_t {
  User,    ///< anywhere else: nothing is known of it
  Tensor,  ///< a method of at::Tensor or at::TensorBase
  Aten,    ///< a free function in at, c10, torch, or one of their operator namespaces
  Module,  ///< a method of torch::nn::Module or of a module LibTorch ships, or one that overrides
           ///< such a method
  Options, ///< a method of c10::TensorOptions
  Device,  ///< a method of c10::Device
  MetaSan, ///< a free function in metasan
  Std,     ///< a free function in std
};

enum class Effect : std::uint8_t {
  Default,          ///< no line in the tables: the rule of the owner
  ReadsValues,      ///< needs the values of all its tensors
  CopyOut,          ///< needs data, unless the target is meta or only the dtype changes
  CopyFromArgument, ///< needs the data of its argument when the object has storage
  SetData,          ///< gives the object what the argument has
  AsksMeta,         ///< true exactly for meta
  AsksReal,         ///< true only for what is not meta
  AsksDevice,       ///< the device, or options with it
  AsksState,        ///< metasan::State
  SetsDevice,       ///< options with the device of the argument
  NoDevice,         ///< options without a device
  MakesReal,        ///< a tensor with data, also inside the scope
  MoveModule,       ///< needs the data of all tensors, unless only the dtype changes
  ModuleTensors,    ///< a container of the module's tensors
  Submodules,       ///< a container of the module's parts
  CloneModule,      ///< a new module in the same state
  RegisterPart,     ///< returns the part it was given
  Forward,          ///< calls the module
  ChangesUnknown,   ///< may give data to any tensor of the module
  Load,             ///< gives data to all tensors of its first argument
  Dispatch,         ///< needs the weights of its first argument
  BuildEmpty,       ///< runs its argument inside the scope
  SameObject,       ///< returns its argument
  GetElement,       ///< std::get<I>
  MakeObject,       ///< constructs the object it returns a pointer to
  MakeAggregate,    ///< std::make_pair, std::make_tuple
};

struct Call {
  Owner Where = Owner::User;
  Effect What = Effect::Default;
};

class ApiModel {
public:
  explicit ApiModel(TypeOracle &Types) : Types(Types) {}

  Call resolve(const clang::FunctionDecl *Function);

private:
  Owner ownerOf(const clang::FunctionDecl &Function);

  TypeOracle &Types;
  llvm::DenseMap<const clang::FunctionDecl *, Call> Cache;
};

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_TORCH_MODEL_API_MODEL_H
