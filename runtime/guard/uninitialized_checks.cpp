#include "runtime/guard/uninitialized_checks.h"

#include "runtime/guard/heal.h"
#include "runtime/guard/keys.h"
#include "runtime/guard/stack_args.h"
#include "runtime/guard/violation.h"

#include <ATen/ops/ones.h>

#include <algorithm>
#include <numeric>
#include <sstream>

namespace metasan::guard {
namespace {

/// The index of the element at `offset` (in elements, from the first one) of a tensor.
std::vector<int64_t> index_at(const at::Tensor& tensor, int64_t offset) {
  std::vector<int64_t> by_stride(static_cast<std::size_t>(tensor.dim()));
  std::iota(by_stride.begin(), by_stride.end(), 0);
  std::stable_sort(by_stride.begin(), by_stride.end(),
                   [&](int64_t a, int64_t b) { return tensor.stride(a) > tensor.stride(b); });
  std::vector<int64_t> index(by_stride.size());
  for (const int64_t dim : by_stride) {
    if (tensor.stride(dim) > 0 && tensor.size(dim) > 1) {
      index[static_cast<std::size_t>(dim)] =
          std::min(offset / tensor.stride(dim), tensor.size(dim) - 1);
      offset -= index[static_cast<std::size_t>(dim)] * tensor.stride(dim);
    }
  }
  return index;
}

/// "elements [18, 24) of 24, the first at [3, 0], were never written".
std::string describe_gap(const at::Tensor& tensor, ByteRange gap) {
  const auto item = static_cast<int64_t>(tensor.element_size());
  const auto first = gap.begin / item - tensor.storage_offset();
  const auto last = (gap.end - 1) / item - tensor.storage_offset();
  std::ostringstream text;
  if (tensor.is_contiguous()) {
    text << "elements [" << first << ", " << last + 1 << ") of " << tensor.numel() << ", ";
  }
  text << "the first at " << c10::IntArrayRef(index_at(tensor, first)) << ", were never written\n";
  return std::move(text).str();
}

/// An operator that writes part of its argument may be told to add to what is there.
bool adds_to(const c10::OperatorHandle& op, at::ArrayRef<c10::IValue> arguments) {
  const auto& schema = op.schema().arguments();
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if ((schema[i].name() == "accumulate" && arguments[i].toBool()) ||
        schema[i].name() == "reduce") {
      return true;
    }
  }
  return false;
}

bool is_value(std::string_view argument) {
  return argument == "values" || argument == "value" || argument == "source" || argument == "src";
}

}  // namespace

UninitializedCheck::UninitializedCheck(const c10::OperatorHandle& op, torch::jit::Stack& stack)
    : op_(op) {
  const auto& schema = op.schema().arguments();
  const auto first = stack.size() - schema.size();
  for (std::size_t i = 0; i < schema.size(); ++i) {
    for_each_tensor(stack[first + i], [&](at::Tensor& tensor) {
      if (auto record = uninitialized_record_of(tensor)) {
        arguments_.push_back(
            {tensor, tensor.storage(), std::move(record), access_of(op, i), is_written(op, i), {}});
        auto& argument = arguments_.back();
        if (argument.access == Access::WritePart) {
          if (adds_to(op, at::ArrayRef<c10::IValue>(stack).slice(first))) {
            argument.access = Access::Read;
          } else {
            argument.written_part = mask_of_written(stack, i, tensor);
          }
        }
        check(argument, schema[i].name());
      }
      return false;
    });
  }
}

void UninitializedCheck::check(const Argument& argument, std::string_view name) {
  const auto& [tensor, storage, record, access, written, mask] = argument;
  if (record->is_finished()) {
    end_tracking(tensor, record);
    return;
  }
  if (access != Access::Read) {
    return;
  }
  if (is_plain_copy(op_) && record->is_untouched()) {
    copied_ = record;
    return;
  }
  if (const auto gap = record->first_gap(tensor)) {
    const Violation violation{.rule = Rule::UninitializedRead,
                              .op = c10::toString(op_.operator_name()),
                              .argument = std::string(name),
                              .tensors = {facts_of(tensor)},
                              .detail = describe_gap(tensor, *gap)};
    if (!heal(violation, {record}, tensor.device())) {
      report(violation);
    }
  }
}

/// Runs the operator on a mask in place of the tensor, and on true in place of the values.
at::Tensor UninitializedCheck::mask_of_written(const torch::jit::Stack& stack, std::size_t index,
                                               const at::Tensor& tensor) const {
  const ExcludeGuardKeys exclude;
  const auto& schema = op_.schema().arguments();
  const auto first = stack.size() - schema.size();
  torch::jit::Stack shadow(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
  const auto mask = mask_for(tensor);
  for (std::size_t i = 0; i < shadow.size(); ++i) {
    if (i == index) {
      shadow[i] = mask;
    } else if (is_value(schema[i].name())) {
      if (shadow[i].isTensor()) {
        shadow[i] = at::ones(shadow[i].toTensor().sizes(), mask.options());
      } else if (shadow[i].isScalar()) {
        shadow[i] = true;
      }
    }
  }
  op_.callBoxed(&shadow);
  return mask;
}

void UninitializedCheck::lift(RawAccessLift& lift) const {
  for (const auto& argument : arguments_) {
    if (!argument.record->is_finished()) {
      lift.add(argument.tensor, argument.record);
    }
  }
}

void UninitializedCheck::note_results(torch::jit::Stack& stack) {
  if (arguments_.empty()) {
    return;
  }
  for (auto i = stack.size() - op_.schema().returns().size(); i < stack.size(); ++i) {
    for_each_tensor(stack[i], [&](const at::Tensor& tensor) {
      note_result(tensor);
      return false;
    });
  }
  for (const auto& argument : arguments_) {
    note_written(argument);
  }
}

void UninitializedCheck::note_result(const at::Tensor& tensor) const {
  const auto is_argument = [&](const Argument& a) { return a.tensor.is_same(tensor); };
  if (std::any_of(arguments_.begin(), arguments_.end(), is_argument)) {
    return;
  }
  if (const auto record = uninitialized_record_of(tensor)) {
    record->add_view(tensor);
  } else if (copied_ && tensor.layout() == at::kStrided && !tensor.is_meta()) {
    track_uninitialized(tensor, copied_);
  }
}

void UninitializedCheck::note_written(const Argument& argument) {
  const auto& [tensor, storage, before, access, written, mask] = argument;
  const bool same_storage =
      tensor.storage().unsafeGetStorageImpl() == storage.unsafeGetStorageImpl();
  const auto record = same_storage ? track_resized(tensor, before) : before;
  if (access == Access::WritePart) {
    record->mark_written_where(tensor, mask);
  } else if (written && (access == Access::Read || access == Access::Write)) {
    record->mark_written(tensor);
  }
  if (record->is_finished()) {
    end_tracking(tensor, record);
  }
}

}  // namespace metasan::guard
