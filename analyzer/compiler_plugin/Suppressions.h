//===- Suppressions.h - NOLINT comments --------------------------------------===//
#ifndef METASAN_ANALYZER_COMPILER_PLUGIN_SUPPRESSIONS_H
#define METASAN_ANALYZER_COMPILER_PLUGIN_SUPPRESSIONS_H

#include "clang/Basic/SourceManager.h"

#include <map>
#include <vector>

namespace metasan::plugin {

/// Whether a check's name is in a list such as "metasan-*,-metasan-meta-copy-out"; the last pattern
/// that fits decides. Negative patterns mean nothing in a comment.
bool matchesGlobs(llvm::StringRef Globs, llvm::StringRef Check, bool WithNegative = true);

/// The comments that suppress clang-tidy's findings suppress the plugin's too: the same code is
/// right or wrong however it is checked. clang-tidy's own reader of them is not part of the
/// compiler.
class Suppressions {
public:
  explicit Suppressions(const clang::SourceManager &Sources) : Sources(Sources) {}

  bool isSuppressed(clang::SourceLocation Where, llvm::StringRef Check);

private:
  /// Lines, counted from 1, both included.
  struct Region {
    unsigned First;
    unsigned Last;
    llvm::StringRef Globs;
  };
  const std::vector<Region> &regionsOf(clang::FileID File);

  const clang::SourceManager &Sources;
  std::map<clang::FileID, std::vector<Region>> Regions;
};

} // namespace metasan::plugin

#endif // METASAN_ANALYZER_COMPILER_PLUGIN_SUPPRESSIONS_H
