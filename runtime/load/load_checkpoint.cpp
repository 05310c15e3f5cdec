#include "runtime/load/load_checkpoint.h"

#include "runtime/checkpoint/error.h"
#include "runtime/guard/keys.h"
#include "runtime/guard/materialize.h"
#include "runtime/guard/naming.h"
#include "runtime/guard/record.h"
#include "runtime/guard/scope.h"
#include "runtime/guard/violation.h"
#include "runtime/load/dtype_policy.h"
#include "runtime/load/fit.h"
#include "runtime/load/initial_values.h"
#include "runtime/load/scalar_type.h"
#include "runtime/load/stage.h"
#include "runtime/options/names.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace metasan {
namespace load {
namespace {

using checkpoint::Checkpoint;

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor x = a.contiguous().cpu();
  const at::Tensor y = b.contiguous().cpu();
  return x.scalar_type() == y.scalar_type() && x.nbytes() == y.nbytes() &&
         (x.nbytes() == 0 || std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0);
}

[[noreturn]] void fail_tie(const Checkpoint& checkpoint, const std::string& name,
                           const std::string& other) {
  checkpoint::fail(
      CheckpointErrorCode::TieConflict, checkpoint.path(), name,
      fmt::format("the module ties {} and {}, but the checkpoint has different values for them, so "
                  "one would "
                  "be lost; untie them in the module, or give the checkpoint of a tied module",
                  quote(name), quote(other)));
}

/// Makes the new data of a module, and changes it only when all of them are there.
class Transaction {
 public:
  /// Without a device each tensor stays where it is.
  Transaction(const Checkpoint& checkpoint, const Fit& fit, const LoadOptions& options,
              std::optional<c10::Device> device)
      : checkpoint_(checkpoint),
        fit_(fit),
        options_(options),
        device_(device),
        loaded_{.what = "loaded from " + checkpoint.path().string(),
                .stack = guard::capture_stack()},
        staged_(fit.slots.size()),
        in_place_(fit.slots.size()) {}

  void prepare(LoadReport& report) {
    const guard::ExcludeGuardKeys factories_are_real;
    for (const Source& source : fit_.sources) {
      if (fit_.owners[source.slot] == source.slot) {
        in_place_[source.slot] = writes_in_place(source);
        stage_owner(source, report);
      }
    }
    for (const Source& source : fit_.sources) {
      check_ties(source);
    }
    for (std::size_t i = 0; i < fit_.slots.size(); ++i) {
      if (const auto owner = fit_.owners[i]; owner && *owner != i) {
        staged_[i] = same_part(fit_.slots[i].tensor, fit_.slots[*owner].tensor, staged_[*owner]);
      }
    }
    initial_ = initial_values(fit_, options_, device_.value_or(c10::kCPU));
  }

  /// Cannot fail but for a lack of memory for a few small objects, or for a device that fails:
  /// sizes, strides and kinds were checked.
  void commit(LoadReport& report) {
    // Owners first: materializing one may complete the views of it, which then get the very same
    // data again.
    for (const bool owners : {true, false}) {
      for (std::size_t i = 0; i < fit_.slots.size(); ++i) {
        if (fit_.owners[i] && (*fit_.owners[i] == i) == owners) {
          put(i);
          report.loaded.insert(report.loaded.end(), fit_.slots[i].names.begin(),
                               fit_.slots[i].names.end());
        }
      }
    }
    for (std::size_t i = 0; i < fit_.slots.size(); ++i) {
      if (initial_[i].defined()) {
        guard::materialize(fit_.slots[i].tensor, initial_[i]);
        report.initialized.insert(report.initialized.end(), fit_.slots[i].names.begin(),
                                  fit_.slots[i].names.end());
      }
    }
    std::ranges::sort(report.loaded);
    std::ranges::sort(report.initialized);
  }

 private:
  /// A tensor on a device has its memory there: a second one beside it could be too much.
  bool writes_in_place(const Source& source) const {
    const at::Tensor& tensor = fit_.slots[source.slot].tensor;
    const bool is_there = !device_ || is_on(tensor, *device_);
    return is_there && !tensor.is_meta() && !tensor.is_cpu() && !tensor.is_inference() &&
           tensor.scalar_type() == source.dtype;
  }

  /// Where the new data of a tensor are made.
  c10::Device device_of(std::size_t slot) const {
    if (in_place_[*fit_.owners[slot]]) {
      return c10::kCPU;
    }
    const at::Tensor& tensor = fit_.slots[slot].tensor;
    return device_.value_or(tensor.is_meta() ? c10::Device(c10::kCPU) : tensor.device());
  }

  void put(std::size_t slot) {
    const std::size_t owner = *fit_.owners[slot];
    if (const auto record = guard::record_of(fit_.slots[slot].tensor)) {
      record->add_event(loaded_);
    }
    if (!in_place_[owner]) {
      guard::materialize(fit_.slots[slot].tensor, staged_[slot]);
    } else if (owner == slot) {  // the others are parts of it
      fit_.slots[slot].tensor.detach().copy_(staged_[slot]);
    }
  }

  at::Tensor stage_entry(const Source& source, const checkpoint::Entry& entry,
                         bool* shares_mapping = nullptr) {
    const Staged staged = stage(checkpoint_, entry, fit_.slots[source.slot].tensor, source.dtype,
                                device_of(source.slot));
    if (shares_mapping != nullptr) {
      *shares_mapping = staged.shares_mapping;
    }
    return staged.tensor;
  }

  void stage_owner(const Source& source, LoadReport& report) {
    const auto& [name, entry] = source.entries.front();
    bool shares_mapping = false;
    staged_[source.slot] = stage_entry(source, *entry, &shares_mapping);
    report.bytes += entry->bytes;
    report.bytes_mapped += shares_mapping && !in_place_[source.slot] ? entry->bytes : 0;
    if (const c10::ScalarType stored = scalar_type_of(entry->dtype); stored != source.dtype) {
      report.casts.push_back({name, stored, source.dtype});
    }
  }

  /// Every entry of a tied tensor must have the values of the one that is loaded.
  void check_ties(const Source& source) {
    const std::size_t owner = *fit_.owners[source.slot];
    const bool is_owner = owner == source.slot;
    if (is_owner && source.entries.size() == 1) {
      return;
    }
    const at::Tensor loaded = is_owner ? staged_[owner]
                                       : same_part(fit_.slots[source.slot].tensor,
                                                   fit_.slots[owner].tensor, staged_[owner]);
    for (std::size_t i = is_owner ? 1 : 0; i < source.entries.size(); ++i) {
      const auto& [name, entry] = source.entries[i];
      if (!same_bits(loaded, stage_entry(source, *entry))) {
        fail_tie(checkpoint_, fit_.slots[owner].names.front(), name);
      }
    }
  }

  const Checkpoint& checkpoint_;
  const Fit& fit_;
  const LoadOptions& options_;
  const std::optional<c10::Device> device_;
  const guard::Event loaded_;        // in the history of each tensor
  std::vector<at::Tensor> staged_;   // for each slot
  std::vector<at::Tensor> initial_;  // for each slot that the checkpoint lacks, when it is known
  std::vector<bool> in_place_;       // for each slot that is an owner
};

}  // namespace

LoadReport load_checkpoint(torch::nn::Module& module, const std::filesystem::path& path,
                           const LoadOptions& options, std::optional<c10::Device> device,
                           const std::string& op) {
  check_dtype_options(options);
  guard::name_tensors(module);
  const Checkpoint checkpoint = Checkpoint::open(path);
  Fit fit = fit_checkpoint(module, checkpoint, options, op);

  LoadReport report;
  // Data made in inference mode could never be trained.
  const c10::InferenceMode no_inference(false);
  const at::NoGradGuard no_grad;
  Transaction transaction(checkpoint, fit, options, device);
  transaction.prepare(report);
  transaction.commit(report);

  report.missing = std::move(fit.missing);
  report.unexpected = std::move(fit.unexpected);
  report.warnings.assign(checkpoint.warnings().begin(), checkpoint.warnings().end());
  if (guard::in_empty_scope()) {
    const auto& scope = guard::empty_scope_location();
    auto warning =
        fmt::format("{} was called inside the InitEmptyWeights scope at {}:{}; end the scope first",
                    op, scope.file_name(), scope.line());
    guard::report({.rule = Rule::ScopeMisuse, .op = op, .tensors = {}, .detail = warning + '\n'});
    report.warnings.push_back(std::move(warning));
  }
  return report;
}

}  // namespace load

LoadReport load_checkpoint_in_model(ModuleRef module, const std::filesystem::path& checkpoint,
                                    const LoadOptions& options) {
  return load::load_checkpoint(*module, checkpoint, options, std::nullopt,
                               "metasan::load_checkpoint_in_model");
}

}  // namespace metasan
