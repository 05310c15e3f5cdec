//===- ModelFile.h - Where the option ModelFile is looked for ----------------===//
#ifndef METASAN_ANALYZER_FRONTEND_MODEL_FILE_H
#define METASAN_ANALYZER_FRONTEND_MODEL_FILE_H

#include "torch_model/Contract.h"

namespace metasan::frontend {

/// Reads a model file. A relative path is looked for in the folders above Source, as .clang-tidy
/// itself is, and then in the working directory: builds run the checks from many folders.
bool readModelFile(llvm::StringRef Path, llvm::StringRef Source, analysis::ContractTable &Into,
                   std::string &Error);

} // namespace metasan::frontend

#endif // METASAN_ANALYZER_FRONTEND_MODEL_FILE_H
