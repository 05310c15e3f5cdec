#include "runtime/load/fit.h"

#include "runtime/load/dtype_policy.h"
#include "runtime/load/fit_problems.h"
#include "runtime/load/patterns.h"
#include "runtime/load/scalar_type.h"

#include <ATen/MemoryOverlap.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <metasan/state.h>

#include <algorithm>

namespace metasan::load {
namespace {

using checkpoint::Checkpoint;
using checkpoint::Entry;

/// All that is wrong between a tensor and an entry of its name; sets `source.dtype` when nothing
/// is.
std::optional<FitProblems::Wrong> compare(const std::string& name, const at::Tensor& tensor,
                                          const Entry& entry, const LoadOptions& options,
                                          Source& source) {
  const c10::ScalarType declared = tensor.scalar_type();
  const c10::ScalarType found = scalar_type_of(entry.dtype);
  if (found == c10::ScalarType::Undefined) {
    return {{name,
             fmt::format("is {} in the checkpoint, which LibTorch does not have",
                         to_string(entry.dtype)),
             true}};
  }
  std::vector<std::string> differences;
  const std::vector<std::uint64_t> sizes = sizes_of(entry);
  const auto same_size = [](int64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(a) == b;
  };
  if (!std::ranges::equal(tensor.sizes(), sizes, same_size)) {
    differences.push_back(fmt::format("is [{}] in the module, [{}] in the checkpoint",
                                      fmt::join(tensor.sizes(), ", "), fmt::join(sizes, ", ")));
  }
  const auto dtype = dtype_after_load(declared, found, options);
  if (!dtype) {
    differences.push_back(fmt::format(
        "is {} in the module, {} in the checkpoint, and that conversion could change its values",
        c10::getDtypeNames(declared).first, c10::getDtypeNames(found).first));
  }
  if (at::has_internal_overlap(tensor) == at::MemOverlap::Yes) {
    differences.push_back(
        fmt::format("has the strides [{}] in the module, so that elements share memory: register a "
                    "contiguous one",
                    fmt::join(tensor.strides(), ", ")));
  }
  if (!differences.empty()) {
    return {{name, fmt::format("{}", fmt::join(differences, "; ")), false}};
  }
  source.dtype = *dtype;
  return std::nullopt;
}

class Fitter {
 public:
  Fitter(const torch::nn::Module& module, const Checkpoint& checkpoint, const LoadOptions& options)
      : checkpoint_(checkpoint), options_(options), claimed_(checkpoint.entries().size()) {
    fit_.slots = collect_slots(module);
  }

  Fit fit(const std::string& op) {
    match_names();
    find_missing();
    find_unexpected();
    throw_unless_fits(problems_, checkpoint_, op);
    return std::move(fit_);
  }

 private:
  void match_names() {
    std::vector<bool> has_entry(fit_.slots.size());
    for (std::size_t i = 0; i < fit_.slots.size(); ++i) {
      const Slot& slot = fit_.slots[i];
      Source source{i, {}, slot.tensor.scalar_type()};
      for (const std::string& name : slot.names) {
        const Entry* entry = checkpoint_.find(name);
        if (entry == nullptr) {
          continue;
        }
        claimed_[static_cast<std::size_t>(entry - checkpoint_.entries().data())] = true;
        source.entries.emplace_back(name, entry);
        if (auto wrong = compare(name, slot.tensor, *entry, options_, source)) {
          problems_.wrong.push_back(std::move(*wrong));
        }
      }
      if (!source.entries.empty()) {
        has_entry[i] = true;
        fit_.sources.push_back(std::move(source));
      }
    }
    fit_.owners = find_owners(fit_.slots, has_entry);
  }

  void find_missing() {
    for (std::size_t i = 0; i < fit_.slots.size(); ++i) {
      if (fit_.owners[i]) {
        continue;
      }
      const Slot& slot = fit_.slots[i];
      problems_.all_missing.insert(problems_.all_missing.end(), slot.names.begin(),
                                   slot.names.end());
      const bool allowed = std::ranges::any_of(slot.names, [&](const std::string& name) {
        return matches_any(name, options_.allow_missing);
      });
      // Without `strict`, a tensor that has data keeps them.
      if (allowed || (!options_.strict && state_of(slot.tensor) != State::Declared)) {
        fit_.missing.insert(fit_.missing.end(), slot.names.begin(), slot.names.end());
      } else {
        problems_.missing.push_back({slot.names.front(), slot.tensor});
      }
    }
    std::ranges::sort(fit_.missing);
  }

  void find_unexpected() {
    for (std::size_t i = 0; i < claimed_.size(); ++i) {
      if (claimed_[i]) {
        continue;
      }
      const std::string& name = checkpoint_.entries()[i].name;
      problems_.all_unexpected.push_back(name);
      if (options_.strict && !matches_any(name, options_.allow_unexpected)) {
        problems_.unexpected.push_back(name);
      } else {
        fit_.unexpected.push_back(name);
      }
    }
  }

  const Checkpoint& checkpoint_;
  const LoadOptions& options_;
  std::vector<bool> claimed_;  // for each entry of the checkpoint
  Fit fit_;
  FitProblems problems_;
};

}  // namespace

Fit fit_checkpoint(const torch::nn::Module& module, const Checkpoint& checkpoint,
                   const LoadOptions& options, const std::string& op) {
  return Fitter(module, checkpoint, options).fit(op);
}

}  // namespace metasan::load
