//===- Advice.h - What to do about a finding that has no fix -----------------===//
#ifndef METASAN_ANALYZER_FINDINGS_ADVICE_H
#define METASAN_ANALYZER_FINDINGS_ADVICE_H

#include "findings/CallSite.h"
#include "findings/Diagnosis.h"
#include "findings/LaterLoad.h"

namespace metasan::analysis {

/// Where a finding is, and what is there to repair it with.
struct Surroundings {
  const clang::ASTContext &AST;
  TypeOracle &Types;
  std::optional<CallSite> Site = std::nullopt;
  /// The spelling of a checkpoint that can be used there.
  std::optional<std::string> Checkpoint = std::nullopt;
  /// The load of the finding's subject that comes too late.
  std::optional<LaterLoad> Later = std::nullopt;
};

/// The finding is about a scope object that ends at its own semicolon.
bool isUnnamedScope(const Diagnosis &D, TypeOracle &Types);

/// A note in the words of the other notes; empty when nothing that would help is known.
std::string advise(const Diagnosis &D, const Surroundings &Around);

} // namespace metasan::analysis

#endif // METASAN_ANALYZER_FINDINGS_ADVICE_H
