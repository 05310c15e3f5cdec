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

#include <ATen/ops/empty_strided.h>
#include <c10/core/InferenceMode.h>

#include <optional>

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
Outcome settle(const Violation& violation, const Call& call) {
  std::vector<RecordPtr> records;
  for (const auto& argument : call.declared()) {
    records.push_back(argument.record);
  }
  if (heal(violation, records)) {
    return Outcome::Again;
  }
  report(violation);
  return Outcome::Done;
}

Outcome run_on_declared(Call& call) {
  const auto mixed = check_mixed(call);
  if (mixed) {
    if (in_empty_scope() && run_on_forced_values(call)) {
      return Outcome::Done;
    }
    if (settle(*mixed, call) == Outcome::Again) {
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
      if (settle(violation_of(call, error), call) == Outcome::Again) {
        return Outcome::Again;
      }
      throw;
    }
  }
  const auto violation = values ? std::optional(values_needed(call, "")) : check_results(call);
  if (violation && settle(*violation, call) == Outcome::Again) {
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

Outcome run(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const Substitution substitution(op, stack);
  Call call(op, stack);
  // A tensor made in inference mode could not be trained once it is loaded.
  std::optional<c10::InferenceMode> no_inference;
  if (in_empty_scope() && c10::InferenceMode::is_enabled() &&
      (!call.declared().empty() || !call.has_tensors())) {
    no_inference.emplace(false);
  }
  if (!call.declared().empty()) {
    if (call.name() == "aten::_has_compatible_shallow_copy_type") {
      // set_data asks it before it replaces a tensor's data: a declared tensor may become any
      // other, which is what makes torch::load into an empty module work.
      call.drop_values();
      call.push(true);
    } else if (run_on_declared(call) == Outcome::Again) {
      return Outcome::Again;
    }
  } else if (in_empty_scope() && !call.has_tensors() && !carries_data()) {
    run_factory(call);
  } else if (in_empty_scope()) {
    run_on_real(call);
  } else {
    call.run();
  }
  substitution.restore(call);
  return Outcome::Done;
}

}  // namespace

void declared_fallback(const c10::OperatorHandle& op, c10::DispatchKeySet,
                       torch::jit::Stack* stack) {
  count_hit();
  // Ends: each time round, data were loaded for a declared argument.
  while (run(op, *stack) == Outcome::Again) {
  }
}

}  // namespace metasan::guard
