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
  /// What the edits need included. The first report of a file has the directives of all of them.
  llvm::StringRef Header;
};

class Delivery {
public:
  Delivery(clang::ASTContext &AST, EnabledRules On, analysis::Settings Settings,
           FunctionSet Functions);

  /// The findings of one rule, in the order of the functions.
  std::vector<Report> &reports(Rule Violates) { return Reports[Violates]; }

  /// What was not analyzed: at most one remark for each reason, which counts the functions.
  std::vector<Report> remarks() const;

private:
  void collect(Rule Violates, const RuleOptions &Options);
  Report reportOf(const analysis::Diagnosis &D,
                  llvm::ArrayRef<analysis::Diagnosis> InFunction) const;
  void addIncludes();

  clang::ASTContext &AST;
  EnabledRules Enabled;
  FunctionSet Functions;
  analysis::Analysis Analysis;
  std::map<Rule, std::vector<Report>> Reports;
};

} // namespace metasan::frontend

#endif // METASAN_ANALYZER_FRONTEND_DELIVERY_H
