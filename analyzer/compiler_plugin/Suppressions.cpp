#include "compiler_plugin/Suppressions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"

using namespace clang;
using llvm::StringRef;

namespace metasan::plugin {

bool matchesGlobs(StringRef Globs, StringRef Check, bool WithNegative) {
  bool Matches = false;
  llvm::SmallVector<StringRef> Patterns;
  Globs.split(Patterns, ',');
  for (StringRef Pattern : Patterns) {
    Pattern = Pattern.trim();
    bool Adds = !Pattern.consume_front("-");
    if (!Adds && !WithNegative)
      continue;
    llvm::Expected<llvm::GlobPattern> Glob = llvm::GlobPattern::create(Pattern);
    if (!Glob)
      llvm::consumeError(Glob.takeError());
    else if (Glob->match(Check))
      Matches = Adds;
  }
  return Matches;
}

const std::vector<Suppressions::Region> &Suppressions::regionsOf(FileID File) {
  auto [Entry, New] = Regions.try_emplace(File);
  if (!New)
    return Entry->second;
  std::vector<Region> &Found = Entry->second, Open;
  StringRef Rest = Sources.getBufferData(File);
  for (unsigned Line = 1; !Rest.empty(); ++Line) {
    StringRef Text;
    std::tie(Text, Rest) = Rest.split('\n');
    // A line may hold several.
    for (std::size_t At = Text.find("NOLINT"); At != StringRef::npos; At = Text.find("NOLINT")) {
      bool StartsWord = At == 0 || !llvm::isAlnum(Text[At - 1]);
      Text = Text.drop_front(At + StringRef("NOLINT").size());
      StringRef Kind = Text.take_while([](char C) { return llvm::isAlnum(C) || C == '_'; });
      Text = Text.drop_front(Kind.size());
      StringRef Globs = "*";
      if (StringRef Arguments = Text; Arguments.consume_front("("))
        Globs = Arguments.take_until([](char C) { return C == ')'; });
      if (!StartsWord)
        continue;
      if (Kind.empty()) {
        Found.push_back({Line, Line, Globs});
      } else if (Kind == "NEXTLINE") {
        Found.push_back({Line + 1, Line + 1, Globs});
      } else if (Kind == "BEGIN") {
        Open.push_back({Line, Line, Globs});
      } else if (Kind == "END" && !Open.empty() && Open.back().Globs == Globs) {
        // One without its other half is a mistake, and suppresses nothing.
        Found.push_back({Open.back().First, Line, Globs});
        Open.pop_back();
      }
    }
  }
  return Found;
}

bool Suppressions::isSuppressed(SourceLocation Where, StringRef Check) {
  // Where a macro is expanded counts, and where its text is written.
  while (Where.isValid()) {
    auto [File, Offset] = Sources.getDecomposedSpellingLoc(Where);
    unsigned Line = Sources.getLineNumber(File, Offset);
    for (const Region &R : regionsOf(File))
      if (R.First <= Line && Line <= R.Last && matchesGlobs(R.Globs, Check, /*WithNegative=*/false))
        return true;
    if (!Where.isMacroID())
      return false;
    Where = Sources.getImmediateExpansionRange(Where).getBegin();
  }
  return false;
}

} // namespace metasan::plugin
