#include "runtime/guard/fallback.h"

#include "runtime/guard/call.h"
#include "runtime/guard/classify.h"
#include "runtime/guard/heal.h"
#include "runtime/guard/keys.h"
#include "runtime/guard/raw_access.h"
#include "runtime/guard/scope.h"
#include "runtime/guard/shape_run.h"
#include "runtime/guard/stack_args.h"

#include <ATen/ops/empty_strided.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <optional>

namespace metasan::guard {
namespace {

thread_local std::uint64_t hits = 0;

/// Tensors on a storage that was materialized while they were out of reach take part with their
/// data. The results of in-place operators are the caller's own tensors again.
class Substitution {
 public:
  explicit Substitution(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    for (auto i = stack.size() - op.schema().arguments().size(); i < stack.size(); ++i) {
      for_each_tensor(stack[i], [&](at::Tensor& tensor) {
        const auto record = record_of(tensor);
        const auto real = record ? record->real_view(tensor) : at::Tensor();
        if (!real.defined()) {
          return false;
        }
        replaced_.push_back({tensor, real});
        tensor = real;
        return true;
      });
    }
  }

  void restore(Call& call) const {
    for (std::size_t i = 0; !replaced_.empty() && i < call.values_size(); ++i) {
      for_each_tensor(call.argument(i), [&](at::Tensor& tensor) {
        const auto entry = std::find_if(replaced_.begin(), replaced_.end(),
                                        [&](const auto& r) { return r.real.is_same(tensor); });
        if (entry == replaced_.end()) {
          return false;
        }
        tensor = entry->original;
        return true;
      });
    }
  }

 private:
  struct Entry {
    at::Tensor original;
    at::Tensor real;
  };
  std::vector<Entry> replaced_;
};

/// torch::tensor(values) makes its tensor below Autograd but not below ADInplaceOrView, which
/// nothing else does: such a tensor carries data that exists, and keeps it.
bool carries_data() {
  using c10::impl::tls_is_dispatch_key_excluded;
  return tls_is_dispatch_key_excluded(c10::DispatchKey::AutogradFunctionality) &&
         !tls_is_dispatch_key_excluded(c10::DispatchKey::ADInplaceOrView) &&
         !c10::InferenceMode::is_enabled();
}

/// Points a factory operator to the meta device; returns the explicit device that this overrides,
/// or "".
std::string redirect_to_meta(Call& call) {
  std::string overridden;
  const auto& schema = call.op().schema().arguments();
  for (std::size_t i = 0; i < schema.size(); ++i) {
    auto& value = call.argument(i);
    if (schema[i].name() == "device") {
      if (value.isDevice() && !value.toDevice().is_meta()) {
        overridden = value.toDevice().str();
      }
      value = c10::Device(c10::kMeta);
    } else if (schema[i].name() == "pin_memory") {
      value = c10::IValue();  // there is no memory to pin
    }
  }
  return overridden;
}

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

bool can_carry_record(const at::Tensor& tensor) {
  return tensor.is_meta() && tensor.has_storage() && tensor.layout() == c10::kStrided &&
         !tensor.is_quantized() && !tensor.is_nested();
}

/// Puts the meta results of a call under guard; views of guarded tensors are remembered in their
/// record.
template <typename MakeRecord>
void adopt_results(Call& call, MakeRecord&& make_record) {
  ExcludeGuardKeys exclude;
  for (std::size_t i = 0; i < call.values_size(); ++i) {
    for_each_tensor(call.argument(i), [&](const at::Tensor& tensor) {
      if (const auto record = record_of(tensor)) {
        const auto is_argument = [&](const DeclaredArgument& a) {
          return a.tensor.is_same(tensor);
        };
        if (std::none_of(call.declared().begin(), call.declared().end(), is_argument)) {
          record->add_view(tensor);
        }
      } else if (can_carry_record(tensor)) {
        attach_record(tensor, make_record());
      }
      return false;
    });
  }
}

RecordPtr new_declaration(const Call& call, std::string overridden_device) {
  return c10::make_intrusive<Record>(std::make_shared<const Declaration>(
      Declaration{.scope = empty_scope_location(),
                  .op = call.full_name(),
                  .overridden_device = std::move(overridden_device),
                  .stack = capture_stack()}));
}

void run_factory(Call& call) {
  // A tensor made in inference mode could not be trained once it is loaded.
  std::optional<c10::InferenceMode> no_inference;
  if (c10::InferenceMode::is_enabled()) {
    no_inference.emplace(false);
  }
  const auto overridden = redirect_to_meta(call);
  auto arguments = call.copy_arguments();
  try {
    call.run();
  } catch (const c10::NotImplementedError&) {
    if (!run_for_shapes(call, std::move(arguments))) {
      throw;
    }
  }
  adopt_results(call, [&] { return new_declaration(call, overridden); });
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
  if (const auto violation = check_mixed(call)) {
    if (settle(*violation, call) == Outcome::Again) {
      return Outcome::Again;
    }
  }
  auto arguments = call.copy_arguments();
  const auto again = [&] {
    call.drop_values();
    for (auto& argument : arguments) {
      call.push(std::move(argument));
    }
    return Outcome::Again;
  };
  if (in_empty_scope() && !call.real().empty()) {
    demote_constants(call);
  }
  const bool values = needs_values(call);
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
      if (settle(violation_of(call, error), call) == Outcome::Again) {
        return again();
      }
      throw;
    }
  }
  const auto violation = values ? std::optional(values_needed(call, "")) : check_results(call);
  if (violation && settle(*violation, call) == Outcome::Again) {
    return again();
  }
  const auto& origin = call.declared().front().record;
  adopt_results(call, [&] { return c10::make_intrusive<Record>(origin, call.full_name()); });
  return Outcome::Done;
}

Outcome run(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const Substitution substitution(op, stack);
  Call call(op, stack);
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
  } else {
    call.run();
    if (in_empty_scope()) {
      adopt_results(call, [&] { return new_declaration(call, ""); });
    }
  }
  substitution.restore(call);
  return Outcome::Done;
}

}  // namespace

std::uint64_t fallback_hits() {
  return hits;
}

void declared_fallback(const c10::OperatorHandle& op, c10::DispatchKeySet,
                       torch::jit::Stack* stack) {
  ++hits;
  // Ends: each time round, data were loaded for a declared argument.
  while (run(op, *stack) == Outcome::Again) {
  }
}

}  // namespace metasan::guard
