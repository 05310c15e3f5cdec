#include "runtime/guard/shape_run.h"

#include "runtime/guard/keys.h"
#include "runtime/guard/stack_args.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/ones.h>

#include <algorithm>

namespace metasan::guard {
namespace {

/// Puts the default CPU generator back to where it was.
class SavedGenerator {
 public:
  SavedGenerator()
      : generator_(at::detail::getDefaultCPUGenerator()), state_(generator_.get_state()) {}
  ~SavedGenerator() { generator_.set_state(state_); }
  SavedGenerator(const SavedGenerator&) = delete;
  SavedGenerator& operator=(const SavedGenerator&) = delete;

 private:
  at::Generator generator_;
  at::Tensor state_;
};

}  // namespace

bool run_for_shapes(Call& call, torch::jit::Stack arguments) {
  const auto& schema = call.op().schema().arguments();
  if (std::any_of(schema.begin(), schema.end(),
                  [](const auto& a) { return a.alias_info() != nullptr; })) {
    return false;
  }
  ExcludeGuardKeys exclude;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].isDevice()) {
      arguments[i] = c10::Device(c10::kCPU);
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
