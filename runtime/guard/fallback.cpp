#include "runtime/guard/fallback.h"

#include "runtime/guard/adopt.h"
#include "runtime/guard/call.h"
#include "runtime/guard/classify.h"
#include "runtime/guard/factory.h"
#include "runtime/guard/force.h"
#include "runtime/guard/heal.h"
#include "runtime/guard/hits.h"
#include "runtime/guard/keys.h"
#include "runtime/guard/raw_access.h"
#include "runtime/guard/recorder.h"
#include "runtime/guard/scope.h"
#include "runtime/guard/shape_run.h"
#include "runtime/guard/stack_args.h"
#include "runtime/guard/substitution.h"
#include "runtime/guard/track_all.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/InferenceMode.h>

#include <optional>
#include <tuple>

namespace metasan::guard {
namespace {

/// Constants beside declared tensors inside the scope: LibTorch wants one device.
void demote_constants(Call& call) {
  ExcludeGuardKeys exclude;
  for (std::size_t i = 0; i < call.arguments(); ++i) {
    for_each_tensor(call.argument(i), [](at::Tensor& tensor) {
      if (tensor.is_meta() || tensor.dim() == 0) {
        return false;
      }
      tensor =
          at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(c10::kMeta));
      return true;
    });
  }
}

/// Whether an operator ran, or has to be tried again as its arguments have data by now.
enum class Outcome { Done, Again };

/// A violation: either the call's tensors got their data, or it was reported, and the call goes on
/// as in LibTorch alone.
Outcome settle(const Violation& violation, const Call& call, bool may_heal) {
  std::vector<RecordPtr> records;
  for (const auto& argument : call.declared()) {
    records.push_back(argument.record);
  }
  if (may_heal && heal(violation, records, device_of(call))) {
    return Outcome::Again;
  }
  report(violation);
  return Outcome::Done;
}

Outcome run_on_declared(Call& call, bool may_heal) {
  const auto mixed = check_mixed(call);
  if (mixed) {
    if (in_empty_scope() && run_on_forced_values(call)) {
      return Outcome::Done;
    }
    if (settle(*mixed, call, may_heal) == Outcome::Again) {
      return Outcome::Again;
    }
  }
  const bool values = needs_values(call);
  if (values && in_empty_scope() && run_on_forced_values(call)) {
    return Outcome::Done;
  }
  Recorder recorder(call);
  auto arguments = call.copy_arguments();
  const auto give_back_arguments = [&] {
    call.drop_values();
    for (auto& argument : arguments) {
      call.push(std::move(argument));
    }
  };
  if (in_empty_scope() && !call.real().empty()) {
    demote_constants(call);
  }
  try {
    RawAccessLift lift;
    for (const auto& argument : call.declared()) {
      lift.add(argument.tensor, argument.record);
    }
    call.run();
  } catch (const c10::Error& error) {
    if (!is_about_missing_data(error)) {
      throw;
    }
    if (values || !in_empty_scope() || !run_for_shapes(call, arguments)) {
      give_back_arguments();
      if (in_empty_scope() && run_on_forced_values(call)) {
        return Outcome::Done;
      }
      if (settle(violation_of(call, error), call, may_heal) == Outcome::Again) {
        return Outcome::Again;
      }
      throw;
    }
  }
  const auto violation = values ? std::optional(values_needed(call, "")) : check_results(call);
  if (violation && settle(*violation, call, may_heal) == Outcome::Again) {
    give_back_arguments();
    return Outcome::Again;
  }
  const auto& origin = call.declared().front().record;
  adopt_results(call, recorder,
                [&] { return c10::make_intrusive<Record>(origin, call.full_name()); });
  if (!mixed && !violation) {  // what went on after a report has no values to speak of
    recorder.finish();
  }
  return Outcome::Done;
}

/// Inside the scope, with no declared tensor among the arguments: real.to(declared.device()).
void run_on_real(Call& call) {
  Recorder recorder(call);
  call.run();
  adopt_results(call, recorder, [&] { return new_declaration(call, ""); });
  recorder.finish();
}

/// Whether set_data, which asks before it replaces a tensor's data, may do so though one of the two
/// is declared. A declared tensor may become any other, which is what makes torch::load into an
/// empty module work. Data are not replaced by none: LibTorch refuses that, and is left to. Only
/// Module::clone may, as it makes a new module with data before it puts copies in their place.
bool may_replace_data(const Call& call) {
  if (call.values().front().toTensor().is_meta()) {
    return true;
  }
  const auto& replacement = *call.declared().front().record;
  return replacement.derived_by() == "aten::clone";
}

/// Module::to(dtype) puts a declared tensor of another dtype in the place of a declared one. To its
/// module it is the same tensor, with name, history and checkpoint, and not a result of `to`.
void keep_identity(const Call& call) {
  const auto& declared = call.declared();
  if (declared.size() != 2) {
    return;
  }
  const auto& [self, replacement] = std::tie(declared[0], declared[1]);
  if (self.record->declaration() != replacement.record->declaration() ||
      !replacement.record->derived_by().starts_with("aten::to.") ||
      !self.record->derived_by().empty()) {
    return;
  }
  auto record = c10::make_intrusive<Record>(self.record->declaration());
  record->inherit(*self.record);
  record->set_trace(replacement.record->trace());
  const ExcludeGuardKeys exclude;
  attach_record(replacement.tensor, record);
  record->add_view(self.tensor);
}

Outcome run(const c10::OperatorHandle& op, torch::jit::Stack& stack, bool may_heal) {
  const Substitution substitution(op, stack);
  guard_meta_arguments(op, stack);
  Call call(op, stack);
  // A tensor made in inference mode could not be trained once it is loaded.
  std::optional<c10::InferenceMode> no_inference;
  if (in_empty_scope() && c10::InferenceMode::is_enabled() &&
      (!call.declared().empty() || !call.has_tensors())) {
    const bool grad_mode = at::GradMode::is_enabled();
    no_inference.emplace(false);
    at::GradMode::set_enabled(grad_mode);  // which leaving inference mode switched on
  }
  if (!call.declared().empty()) {
    if (call.name() == "aten::_has_compatible_shallow_copy_type" && may_replace_data(call)) {
      keep_identity(call);
      call.drop_values();
      call.push(true);
    } else if (run_on_declared(call, may_heal) == Outcome::Again) {
      return Outcome::Again;
    }
  } else if (in_empty_scope() && !call.has_tensors() && !carries_data() &&
             !begins_loaded_tensor(call)) {
    run_factory(call);
  } else if (in_empty_scope()) {
    run_on_real(call);
  } else {
    call.run();
    track_allocations(call);
  }
  substitution.restore(stack);
  return Outcome::Done;
}

}  // namespace

void declared_fallback(const c10::OperatorHandle& op, c10::DispatchKeySet,
                       torch::jit::Stack* stack) {
  count_hit();
  // Each time round, data were loaded for a declared argument; one that is none the better for it
  // must not be loaded for ever.
  constexpr int kMostRounds = 64;
  for (int round = 0; run(op, *stack, round < kMostRounds) == Outcome::Again; ++round) {
  }
}

}  // namespace metasan::guard
