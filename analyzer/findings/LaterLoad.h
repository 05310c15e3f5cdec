//===- LaterLoad.h - The load that comes too late ----------------------------===//
#ifndef METASAN_ANALYZER_FINDINGS_LATER_LOAD_H
#define METASAN_ANALYZER_FINDINGS_LATER_LOAD_H

#include "findings/CallSite.h"
#include "torch_model/Types.h"

namespace metasan::analysis {

struct LaterLoad {
  enum class Kind : std::uint8_t {
    InModel,     ///< metasan::load_checkpoint_in_model
    AndDispatch, ///< metasan::load_checkpoint_and_dispatch
    Native,      ///< torch::load
  };
  Kind What;
  const clang::CallExpr *Call;
  const clang::Expr *Path;
  /// The load is a statement of its own.
  bool IsStatement;
  /// It is an error if the checkpoint lacks a tensor of the module.
  bool FillsAll;
};

/// The load of Module further down in the block of Site, if nothing before it depends on the
/// weights: the module may only be switched to training or evaluation, or handed to an optimizer.
std::optional<LaterLoad> findLaterLoad(const CallSite &Site, const clang::Expr &Module,
                                       const clang::FunctionDecl &Function);

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_FINDINGS_LATER_LOAD_H
