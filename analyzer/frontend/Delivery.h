//===- Delivery.h - The findings of a translation unit, ready to show --------===//
//
// What every front end does between the analysis and its own way to show a diagnostic: which
// findings to show, each place once, with the edits that fit the rules that are on.
//
//===----------------------------------------------------------------------===//
#ifndef METASAN_ANALYZER_FRONTEND_DELIVERY_H
#define METASAN_ANALYZER_FRONTEND_DELIVERY_H

#include "findings/Analysis.h"
#include "frontend/Functions.h"

#include "clang/Basic/Diagnostic.h"

#include <map>
#include <set>

namespace metasan::frontend {

/// What users write in settings and suppressions: "metasan-meta-copy-out".
inline std::string checkName(Rule Of) { return "metasan-" + std::string(info(Of).id); }

struct RuleOptions {
  analysis::Confidence Least = analysis::Confidence::Maybe;
  std::string CheckpointPath;
};

/// The rules that are on. The fix of one finding may rest on that of another.
using EnabledRules = std::map<Rule, RuleOptions>;

struct Report {
  clang::SourceLocation Where;
  clang::SourceRange Range;
  std::string Message;
  std::vector<analysis::Note> Notes;
  std::vector<clang::FixItHint> Edits;
};

class Delivery {
public:
  Delivery(clang::ASTContext &AST, EnabledRules Enabled, analysis::Settings Settings,
           FunctionSet Functions);

  /// The findings of one rule, in the order of the functions.
  std::vector<Report> reports(Rule Violates);

  /// What was not analyzed: at most one remark for each reason, which counts the functions.
  std::vector<Report> remarks() const;

private:
  Report reportOf(const analysis::Diagnosis &D, const RuleOptions &Options);

  clang::ASTContext &AST;
  EnabledRules Enabled;
  FunctionSet Functions;
  analysis::Analysis Analysis;
  /// The files that the edits of some report give an include directive.
  std::set<clang::FileID> Included;
};

} // namespace metasan::frontend

#endif // METASAN_ANALYZER_FRONTEND_DELIVERY_H
