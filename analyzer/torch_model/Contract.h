//===- Contract.h - What users promise about their own functions -------------===//
//
// A contract comes from the annotations of metasan/annotations.h, from a model file, or from both.
// It speaks for code that the analysis does not see.
//
//===----------------------------------------------------------------------===//
#ifndef METASAN_ANALYZER_TORCH_MODEL_CONTRACT_H
#define METASAN_ANALYZER_TORCH_MODEL_CONTRACT_H

#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <string>

namespace metasan::analysis {

/// What a function promises about the state of its arguments and of its result.
struct Contract {
  enum class Result : std::uint8_t {
    Unstated,
    Meta,          ///< has no data
    Materialized,  ///< has data
    Uninitialized, ///< has memory that nothing has written
    Argument,      ///< is the argument ReturnedArgument
  };

  /// Stands for the object of a member function where a parameter number is expected.
  static constexpr int This = -1;
  using Places = llvm::SmallVector<int, 2>; ///< parameter numbers from 0, or This; each once

  Result Returns = Result::Unstated;
  int ReturnedArgument = 0; ///< of Result::Argument: a parameter number, or This

  Places Requires;     ///< must have data before the call
  Places Materializes; ///< have data after the call
  Places Dispatches;   ///< must have data before the call, and are on their devices after it
  Places LeavesMeta;   ///< have no data after the call

  bool empty() const;
};

/// The contracts of the functions of one translation unit.
class ContractTable {
public:
  /// Adds what a model file says. On a mistake nothing is added, and \p Error is "file:line:column:
  /// what is wrong", or "file: what is wrong" when the file cannot be read.
  bool readModelFile(llvm::StringRef Path, std::string &Error);

  /// Null when nothing is promised. The parameter numbers are those of \p Function: what the model
  /// file says of parameters that an overload lacks is left out. A method keeps the promises of
  /// those it overrides. The result stays valid until the next model
  /// file is read.
  const Contract *contractOf(const clang::FunctionDecl &Function) const;

private:
  llvm::StringMap<Contract> OfModelFiles; ///< by qualified name
  mutable llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<Contract>> Cache;
};

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_TORCH_MODEL_CONTRACT_H
