//===- CheckpointSearch.h - The checkpoint that code names nearby ------------===//
#ifndef METASAN_ANALYZER_FINDINGS_CHECKPOINT_SEARCH_H
#define METASAN_ANALYZER_FINDINGS_CHECKPOINT_SEARCH_H

#include "findings/CallSite.h"
#include "torch_model/Types.h"

#include <string>

namespace metasan::analysis {

/// The spelling of a checkpoint usable at Where for Module, which may be null. In this order: what
/// another load of the function reads into the module; the nearest variable that holds a path and
/// is called like a checkpoint; what a load reads into another module of the class. Nothing that is
/// only saved to, and nothing that torch::load reads.
std::optional<std::string> findCheckpoint(const CallSite &Site, const clang::Expr &Where,
                                          const clang::FunctionDecl &Function,
                                          const clang::Expr *Module, TypeOracle &Types);

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_FINDINGS_CHECKPOINT_SEARCH_H
