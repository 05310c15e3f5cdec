//===- CallGraph.h - The order to analyze functions in -----------------------===//
//
// Callees before callers, so that a call finds its summary; functions that call each other
// together. Clang's own CallGraph walks the whole translation unit, which for LibTorch is most of
// the time of a run; this one has only the functions it is given.
//
//===----------------------------------------------------------------------===//
#ifndef METASAN_ANALYZER_ENGINE_CALL_GRAPH_H
#define METASAN_ANALYZER_ENGINE_CALL_GRAPH_H

#include "engine/Summary.h"
#include "torch_model/ApiModel.h"

namespace metasan::analysis {

class CallGraph {
public:
  struct Member {
    const clang::FunctionDecl *Function = nullptr;
    llvm::SmallVector<Member *, 4> Callees;
    bool CallsItself = false;
  };
  /// Members of one group call each other, directly or not.
  using Group = std::vector<Member *>;

  CallGraph(llvm::ArrayRef<const clang::FunctionDecl *> Functions, TypeOracle &Types, ApiModel &Api,
            SummaryStore &Summaries);

  /// Callees first.
  const std::vector<Group> &groups() const { return Groups; }

private:
  Member *find(const clang::FunctionDecl *Function);

  std::deque<Member> Members;
  llvm::DenseMap<const clang::FunctionDecl *, Member *> ByFunction;
  Member Root;
  std::vector<Group> Groups;
};

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_ENGINE_CALL_GRAPH_H
