#include <metasan/empty_init.h>

#include "runtime/guard/keys.h"
#include "runtime/guard/naming.h"
#include "runtime/guard/scope.h"

#include <c10/core/InferenceMode.h>

namespace metasan {
namespace {

struct ThreadScope {
  int depth = 0;
  std::source_location where;
  guard::TapePtr tape;
};
thread_local ThreadScope thread_scope;

}  // namespace

InitEmptyWeights::InitEmptyWeights(std::source_location where) : previous_(thread_scope.where) {
  guard::require_keys();
  // Tensors born in inference mode have no autograd keys, and would silently not train after a
  // load.
  if (c10::InferenceMode::is_enabled()) {
    no_inference_mode_ = std::make_unique<c10::InferenceMode>(false);
  }
  if (thread_scope.depth++ == 0) {
    thread_scope.tape = std::make_shared<guard::Tape>();
    c10::impl::tls_set_dispatch_key_included(guard::kDeclaredKey, true);
  }
  thread_scope.where = where;
}

InitEmptyWeights::~InitEmptyWeights() {
  thread_scope.where = previous_;
  if (--thread_scope.depth == 0) {
    thread_scope.tape->close();
    thread_scope.tape.reset();
    c10::impl::tls_set_dispatch_key_included(guard::kDeclaredKey, false);
  }
}

void name_tensors(ModuleRef module) {
  guard::name_tensors(*module);
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
