#include "engine/Summary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace metasan::analysis {
namespace {

/// A node without its number, which depends on the order the function was walked in.
void write(llvm::raw_ostream &Out, const Node *N) {
  for (; N; N = N->Base)
    Out << static_cast<int>(N->Kind) << ',' << N->Key << ',' << N->Index << '/';
}

void write(llvm::raw_ostream &Out, const NodeSet &Nodes) {
  std::vector<std::string> Each;
  for (const Node *N : Nodes) {
    llvm::raw_string_ostream One(Each.emplace_back());
    write(One, N);
  }
  llvm::sort(Each);
  for (const std::string &One : Each)
    Out << One << '+';
}

} // namespace

std::string Summary::fingerprint() const {
  std::vector<std::string> Lines;
  auto Line = [&](auto Write) {
    llvm::raw_string_ostream Out(Lines.emplace_back());
    Write(Out);
  };
  Line([&](auto &Out) { Out << static_cast<int>(Status) << CallsUnknown << Exits.size(); });
  for (const Exit &Way : Exits) {
    for (const auto &[Place, Values] : Way.After.contents())
      Line([&, &Place = Place, &Values = Values](auto &Out) {
        write(Out, Place);
        Out << '=';
        write(Out, Values);
      });
    for (const auto &[Object, S] : Way.After.objects())
      Line([&, &Object = Object, &S = S](auto &Out) {
        write(Out, Object);
        Out << ':' << S.Bits << static_cast<int>(S.Written);
      });
  }
  for (const Requirement &Needed : Requires)
    Line([&](auto &Out) {
      Out << static_cast<int>(Needed.Violates) << static_cast<int>(Needed.Issue) << Needed.Certain;
      write(Out, Needed.Subject);
      Out << '&';
      write(Out, Needed.Companion);
    });
  llvm::sort(Lines);
  return llvm::join(Lines, "\n");
}

} // namespace metasan::analysis
