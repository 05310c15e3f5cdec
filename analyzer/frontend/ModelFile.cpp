#include "frontend/ModelFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace path = llvm::sys::path;

namespace metasan::frontend {

bool readModelFile(llvm::StringRef Path, llvm::StringRef Source, analysis::ContractTable &Into,
                   std::string &Error) {
  llvm::SmallString<128> Absolute(Source);
  llvm::sys::fs::make_absolute(Absolute);
  if (path::is_relative(Path))
    for (llvm::StringRef Folder = path::parent_path(Absolute); !Folder.empty();
         Folder = path::parent_path(Folder)) {
      llvm::SmallString<128> Candidate(Folder);
      path::append(Candidate, Path);
      if (llvm::sys::fs::exists(Candidate))
        return Into.readModelFile(Candidate, Error);
    }
  return Into.readModelFile(Path, Error);
}

} // namespace metasan::frontend
