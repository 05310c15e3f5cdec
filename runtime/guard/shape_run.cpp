#include "runtime/guard/shape_run.h"

#include "runtime/guard/keys.h"
#include "runtime/guard/saved_generator.h"
#include "runtime/guard/stack_args.h"

#include <ATen/ops/empty_strided.h>
#include <ATen/ops/ones.h>

#include <algorithm>

namespace metasan::guard {
namespace {

/// True for `self.index_put_(...)` and its like: whatever it writes, it returns its first argument.
bool is_in_place(const c10::FunctionSchema& schema) {
  const auto& arguments = schema.arguments();
  const auto written = [](const c10::Argument& a) { return a.alias_info() != nullptr; };
  return schema.name().ends_with('_') && !arguments.empty() && written(arguments.front()) &&
         std::count_if(arguments.begin(), arguments.end(), written) == 1 &&
         schema.returns().size() == 1 && written(schema.returns().front());
}

/// True when the schema promises new tensors and nothing else: a number made from stand-ins would
/// be wrong.
bool returns_new_tensors(const c10::FunctionSchema& schema) {
  return std::none_of(schema.arguments().begin(), schema.arguments().end(),
                      [](const auto& a) { return a.alias_info() != nullptr; }) &&
         std::all_of(schema.returns().begin(), schema.returns().end(), [](const auto& r) {
           return r.type()->isSubtypeOf(*c10::TensorType::get()) ||
                  r.type()->isSubtypeOf(*c10::ListType::ofTensors());
         });
}

}  // namespace

bool run_for_shapes(Call& call, torch::jit::Stack arguments) {
  const auto& schema = call.op().schema();
  if (is_in_place(schema)) {
    call.drop_values();
    call.push(std::move(arguments.front()));
    return true;
  }
  if (!returns_new_tensors(schema)) {
    return false;
  }
  ExcludeGuardKeys exclude;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].isDevice()) {
      arguments[i] = c10::Device(c10::kCPU);
    } else if (arguments[i].isGenerator()) {
      arguments[i] = arguments[i].toGenerator().clone();
    } else if (schema.arguments()[i].name() == "pin_memory") {
      arguments[i] = c10::IValue();
    }
    for_each_tensor(arguments[i], [](at::Tensor& tensor) {
      if (!tensor.is_meta()) {
        return false;
      }
      tensor = at::ones(tensor.sizes(), tensor.options().device(c10::kCPU));
      return true;
    });
  }
  const SavedGenerator saved;
  call.op().callBoxed(&arguments);

  call.drop_values();
  for (auto& result : arguments) {
    for_each_tensor(result, [](at::Tensor& tensor) {
      tensor =
          at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(c10::kMeta));
      return true;
    });
    call.push(std::move(result));
  }
  return true;
}

}  // namespace metasan::guard
