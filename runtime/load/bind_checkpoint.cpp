#include <metasan/bind_checkpoint.h>
#include <metasan/options.h>
#include <metasan/state.h>

#include "runtime/guard/binding.h"
#include "runtime/guard/keys.h"
#include "runtime/guard/materialize.h"
#include "runtime/guard/naming.h"
#include "runtime/guard/record.h"
#include "runtime/load/fit.h"
#include "runtime/load/stage.h"
#include "runtime/options/names.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <unordered_map>

namespace metasan {
namespace load {
namespace {

using WeakTensor = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;

/// The tensors of one module, each with its entry. Does not keep them alive: their records keep
/// the binding.
class CheckpointBinding : public guard::Binding {
 public:
  CheckpointBinding(checkpoint::Checkpoint checkpoint, const torch::nn::Module& module,
                    const LoadOptions& options)
      : checkpoint_(std::move(checkpoint)) {
    LoadOptions lenient = options;
    lenient.strict = false;
    lenient.allow_missing = {"*"};
    const Fit fit = fit_checkpoint(module, checkpoint_, lenient, "metasan::bind_checkpoint");
    std::vector<std::optional<Target>> targets(fit.slots.size());
    for (const Source& source : fit.sources) {
      const at::Tensor& tensor = fit.slots[source.slot].tensor;
      targets[source.slot] =
          Target{WeakTensor(tensor.getIntrusivePtr()), source.entries.front().second,
                 tensor.scalar_type(), source.dtype};
    }
    for (std::size_t i = 0; i < fit.slots.size(); ++i) {
      // A tied tensor gets its data with the one that owns them.
      if (fit.owners[i] && targets[*fit.owners[i]]) {
        for (const auto& name : fit.slots[i].names) {
          targets_.emplace(name, *targets[*fit.owners[i]]);
        }
      }
    }
    for (const auto& entry : checkpoint_.entries()) {
      names_.push_back(entry.name);
    }
  }

  std::string path() const override { return checkpoint_.path().string(); }

  std::string note(const std::string& name) const override {
    if (const auto found = targets_.find(name); found != targets_.end()) {
      return fmt::format("has it, as {}", quote(found->second.entry->name));
    }
    if (name.empty()) {
      return "the name of the tensor is not known";
    }
    const auto nearest = nearest_name(name, names_);
    return nearest ? fmt::format("has no {}; the nearest name is {}", quote(name), quote(*nearest))
                   : fmt::format("has no {}", quote(name));
  }

  bool load(const std::string& name, std::optional<c10::Device> device) const override {
    const auto found = targets_.find(name);
    if (found == targets_.end()) {
      return false;
    }
    const Target& target = found->second;
    const auto alive = target.tensor.lock();
    if (!alive) {
      return false;
    }
    const auto tensor = at::Tensor::wrap_tensor_impl(alive);
    const auto state = state_of(tensor);
    if (state != State::Declared && state != State::Uninitialized) {
      return true;  // a tie of it was here before
    }
    const c10::InferenceMode no_inference(false);
    const at::NoGradGuard no_grad;
    if (const auto record = guard::record_of(tensor)) {
      record->add_event({.what = "loaded from " + path() + ", as a call needed it",
                         .stack = guard::capture_stack()});
    }
    const auto where = device.value_or(tensor.is_meta() ? c10::Device(c10::kCPU) : tensor.device());
    at::Tensor data;
    {
      const guard::ExcludeGuardKeys factories_are_real;
      // A cast of the empty module since it was bound holds.
      const auto dtype =
          tensor.scalar_type() == target.declared ? target.dtype : tensor.scalar_type();
      data = stage(checkpoint_, *target.entry, tensor, dtype, where).tensor;
    }
    guard::materialize(tensor, data);
    return true;
  }

 private:
  struct Target {
    WeakTensor tensor;
    const checkpoint::Entry* entry;
    c10::ScalarType declared;  ///< when it was bound
    c10::ScalarType dtype;     ///< after the load
  };

  const checkpoint::Checkpoint checkpoint_;
  std::unordered_map<std::string, Target> targets_;
  std::vector<std::string_view> names_;  // of the checkpoint
};

void bind(const torch::nn::Module& module, const std::filesystem::path& checkpoint,
          const LoadOptions& options) {
  guard::name_tensors(module);
  const auto binding = std::make_shared<CheckpointBinding>(checkpoint::Checkpoint::open(checkpoint),
                                                           module, options);
  for (const auto& [name, tensor] : guard::named_tensors(module)) {
    if (const auto record = guard::record_of(tensor)) {
      record->set_binding(binding);
    }
  }
}

/// `checkpoint=` in the options.
void bind_as_the_options_say(const torch::nn::Module& module) {
  if (const auto& checkpoint = options().checkpoint; !checkpoint.empty()) {
    bind(module, checkpoint, {});
  }
}

[[maybe_unused]] const bool installed = (guard::on_named(&bind_as_the_options_say), true);

}  // namespace
}  // namespace load

void bind_checkpoint(ModuleRef module, const std::filesystem::path& checkpoint,
                     const LoadOptions& options) {
  load::bind(*module, checkpoint, options);
}

}  // namespace metasan
