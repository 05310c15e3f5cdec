#include "runtime/guard/factory.h"

#include "runtime/guard/adopt.h"
#include "runtime/guard/recorder.h"
#include "runtime/guard/scope.h"
#include "runtime/guard/shape_run.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace metasan::guard {
namespace {

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

}  // namespace

bool carries_data() {
  using c10::impl::tls_is_dispatch_key_excluded;
  return tls_is_dispatch_key_excluded(c10::DispatchKey::AutogradFunctionality) &&
         !tls_is_dispatch_key_excluded(c10::DispatchKey::ADInplaceOrView) &&
         !c10::InferenceMode::is_enabled();
}

bool begins_loaded_tensor(const Call& call) {
  if (call.name() != "aten::empty") {
    return false;
  }
  const auto values = call.values();
  const auto names_device = [](const c10::IValue& value) {
    return value.isDevice() && !value.toDevice().is_meta();
  };
  return values.front().isIntList() && values.front().toIntVector() == std::vector<int64_t>{0} &&
         std::any_of(values.begin(), values.end(), names_device);
}

RecordPtr new_declaration(const Call& call, std::string overridden_device) {
  return c10::make_intrusive<Record>(std::make_shared<const Declaration>(
      Declaration{.scope = empty_scope_location(),
                  .op = call.full_name(),
                  .overridden_device = std::move(overridden_device),
                  .stack = capture_stack()}));
}

void run_factory(Call& call) {
  Recorder recorder(call);
  auto arguments = call.copy_arguments();
  const auto overridden = redirect_to_meta(call);
  try {
    call.run();
  } catch (const c10::NotImplementedError&) {
    if (!run_for_shapes(call, std::move(arguments))) {
      throw;
    }
  }
  adopt_results(call, recorder, [&] { return new_declaration(call, overridden); });
  recorder.finish();
}

}  // namespace metasan::guard
