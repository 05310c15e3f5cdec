#include "runtime/guard/track_all.h"

#include "runtime/guard/access.h"
#include "runtime/guard/adopt.h"
#include "runtime/guard/keys.h"
#include "runtime/guard/stack_args.h"
#include "runtime/guard/uninitialized.h"

#include <metasan/options.h>

#include <ATen/record_function.h>

namespace metasan::guard {
namespace {

/// As the environment says when the library is loaded: threads cannot be told later.
const bool tracks_every_thread = options().track_all || options().track_empty;

void include_key(bool included) {
  c10::impl::tls_set_dispatch_key_included(kDeclaredKey, included || tracks_every_thread);
}

/// Keys are set per thread, and no thread inherits them: the first operator of each thread, which
/// LibTorch shows to its observers, sets them for those that follow.
std::unique_ptr<at::ObserverContext> on_first_operator(const at::RecordFunction&) {
  thread_local const bool included = (include_key(true), true);
  (void)included;
  return nullptr;
}

[[maybe_unused]] const bool installed = [] {
  if (tracks_every_thread) {
    include_key(true);
    at::addGlobalCallback(
        at::RecordFunctionCallback(&on_first_operator).scopes({at::RecordScope::FUNCTION}));
  }
  return true;
}();

}  // namespace

void enter_scope_key() {
  include_key(true);
}

void leave_scope_key() {
  include_key(false);
}

void guard_meta_arguments(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  if (!tracks_every_thread || !options().track_all) {
    return;
  }
  const ExcludeGuardKeys exclude;
  for (auto i = stack.size() - op.schema().arguments().size(); i < stack.size(); ++i) {
    for_each_tensor(stack[i], [](const at::Tensor& tensor) {
      if (can_carry_record(tensor) && !record_of(tensor)) {
        attach_record(tensor, c10::make_intrusive<Record>(kNothingKnown));
      }
      return false;
    });
  }
}

void track_allocations(Call& call) {
  if (!tracks_every_thread || !options().track_empty || !only_allocates(call.op())) {
    return;
  }
  const ExcludeGuardKeys exclude;
  for (std::size_t i = 0; i < call.values_size(); ++i) {
    for_each_tensor(call.argument(i), [](const at::Tensor& tensor) {
      if (!tensor.is_meta() && tensor.has_storage() && tensor.layout() == at::kStrided &&
          !record_of(tensor)) {
        track_uninitialized(tensor, nullptr);
      }
      return false;
    });
  }
}

}  // namespace metasan::guard
