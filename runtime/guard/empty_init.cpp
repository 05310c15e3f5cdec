#include <metasan/empty_init.h>

#include "runtime/guard/hits.h"
#include "runtime/guard/keys.h"
#include "runtime/guard/naming.h"
#include "runtime/guard/scope.h"
#include "runtime/guard/track_all.h"
#include "runtime/guard/violation.h"

#include <c10/core/InferenceMode.h>

#include <exception>
#include <string>

namespace metasan {
namespace {

struct ThreadScope {
  int depth = 0;
  std::source_location where;
  guard::TapePtr tape;
};
thread_local ThreadScope thread_scope;

void warn_of_unused_scope(const std::source_location& where) {
  guard::report({.rule = Rule::ScopeMisuse,
                 .op = "metasan::InitEmptyWeights",
                 .tensors = {},
                 .detail = std::string("the scope opened at ") + where.file_name() + ':' +
                           std::to_string(where.line()) +
                           " ended before anything was made in it; an object without a name ends "
                           "at its own semicolon\n"});
}

}  // namespace

InitEmptyWeights::InitEmptyWeights(std::source_location where)
    : previous_(thread_scope.where), operators_before_(guard::fallback_hits()) {
  guard::require_keys();
  // Tensors born in inference mode have no autograd keys, and would silently not train after a
  // load.
  if (c10::InferenceMode::is_enabled()) {
    no_inference_mode_ = std::make_unique<c10::InferenceMode>(false);
  }
  if (thread_scope.depth++ == 0) {
    thread_scope.tape = std::make_shared<guard::Tape>();
    guard::enter_scope_key();
  }
  thread_scope.where = where;
}

InitEmptyWeights::~InitEmptyWeights() {
  const bool unused = guard::fallback_hits() == operators_before_;
  if (unused && !may_stay_unused_ && std::uncaught_exceptions() == 0) {
    warn_of_unused_scope(thread_scope.where);
  }
  thread_scope.where = previous_;
  if (--thread_scope.depth == 0) {
    thread_scope.tape->close();
    thread_scope.tape.reset();
    guard::leave_scope_key();
  }
}

void name_tensors(ModuleRef module) {
  guard::name_tensors(*module);
  guard::tell_named(*module);
}

namespace guard {

bool in_empty_scope() {
  return thread_scope.depth > 0;
}
const std::source_location& empty_scope_location() {
  return thread_scope.where;
}
const TapePtr& empty_scope_tape() {
  return thread_scope.tape;
}

}  // namespace guard
}  // namespace metasan
