#include "runtime/guard/classify.h"

#include <metasan/errors.h>

#include "runtime/guard/scope.h"
#include "runtime/guard/stack_args.h"

#include <algorithm>
#include <sstream>

namespace metasan::guard {
namespace {

constexpr std::string_view kCopyOutText = "Cannot copy out of meta tensor; no data!";

Violation violation(const Call& call, Rule rule, const DeclaredArgument& argument,
                    std::string_view torch_text) {
  Violation found{.rule = rule,
                  .op = call.full_name(),
                  .argument = std::string(argument.name),
                  .tensors = {facts_of(argument.tensor)},
                  .torch_text = std::string(torch_text)};
  if (in_empty_scope()) {
    std::ostringstream detail;
    detail << "inside the empty-weights scope opened at " << empty_scope_location().file_name()
           << ':' << empty_scope_location().line()
           << ", where tensors have no values: compute it from plain numbers, or after "
           << "the scope\n";
    found.detail = std::move(detail).str();
  }
  return found;
}

/// A real argument that may stand beside declared ones: a constant inside the scope, where the
/// result stands for an initial value, and a number in a tensor (0 dimensions), whose result is
/// meta. A real tensor that is written never.
bool harmless(const Call& call, const TensorArgument& real) {
  if (real.written) {
    return false;
  }
  return in_empty_scope() || (real.tensor.dim() == 0 && call.name() != "aten::copy_");
}

/// For operators that treat the elements of their lists one by one: true when no element of a list
/// stands beside one of the other kind in another list, nor beside a tensor of the other kind.
bool mixes_no_element(const Call& call) {
  const auto values = call.values();
  std::size_t longest = 1;
  for (const auto& value : values) {
    longest = value.isTensorList() ? std::max(longest, value.toListRef().size()) : longest;
  }
  for (std::size_t element = 0; element < longest; ++element) {
    bool declared = false;
    bool real = false;
    const auto note = [&](const at::Tensor& tensor) {
      (tensor.is_meta() ? declared : real) = true;
      return false;
    };
    for (const auto& value : values) {
      if (value.isTensor()) {
        const auto& tensor = value.toTensor();
        declared |= tensor.is_meta();
        real |= !tensor.is_meta() && tensor.dim() > 0;  // with none it is a number
      } else if (value.isTensorList() && element < value.toListRef().size()) {
        any_tensor(value.toListRef()[element], note);
      }
    }
    if (declared && real) {
      return false;
    }
  }
  return true;
}

/// The calls that an operator's Meta kernel gets wrong, where they are not all: addbmm_ makes
/// 'self' as large as the product, and not so on meta.
bool meta_kernel_is_wrong(const Call& call) {
  if (call.name() != "aten::addbmm_") {
    return true;
  }
  const auto values = call.values();
  const auto& batch1 = values[1].toTensor();
  const auto& batch2 = values[2].toTensor();
  return batch1.dim() == 3 && batch2.dim() == 3 &&
         values[0].toTensor().sizes() != c10::IntArrayRef({batch1.size(1), batch2.size(2)});
}

/// An index with a boolean mask: its result has as many rows as the mask has true values.
bool has_mask(const Call& call) {
  const auto is_mask = [](const TensorArgument& argument) {
    const auto dtype = argument.tensor.scalar_type();
    return argument.name == "indices" && (dtype == at::kBool || dtype == at::kByte);
  };
  return std::any_of(call.declared().begin(), call.declared().end(), is_mask) ||
         std::any_of(call.real().begin(), call.real().end(), is_mask);
}

/// one_hot computes the number of classes from the values, unless it is told.
bool knows_classes(const Call& call) {
  const auto values = call.values();
  return std::any_of(values.begin(), values.end(),
                     [](const c10::IValue& v) { return v.isInt() && v.toInt() >= 0; });
}

}  // namespace

std::optional<Violation> check_mixed(const Call& call) {
  if (call.declared().empty() || call.real().empty() || only_metadata(call.op())) {
    return std::nullopt;
  }
  const auto real =
      std::find_if_not(call.real().begin(), call.real().end(),
                       [&](const TensorArgument& argument) { return harmless(call, argument); });
  if (real == call.real().end() || (traits_of(call.op()).by_element && mixes_no_element(call))) {
    return std::nullopt;
  }
  const auto& first = call.declared().front();
  if (call.name() == "aten::copy_" && real->written) {
    return violation(call, Rule::MetaCopyOut, first, std::string(kCopyOutText));
  }
  const auto written =
      std::find_if(call.declared().begin(), call.declared().end(),
                   [](const DeclaredArgument& argument) { return argument.written; });
  if (written != call.declared().end()) {
    return violation(call, Rule::MetaWriteLost, *written, "");
  }
  std::ostringstream text;
  text << "Expected all tensors to be on the same device, but found at least two devices, "
       << real->tensor.device() << " and meta!";
  auto found = violation(call, Rule::MetaMixed, first, std::move(text).str());
  std::ostringstream detail;
  detail << "argument '" << real->name << "' " << real->tensor.sizes() << " has data on "
         << real->tensor.device() << (real->written ? ", and would be overwritten" : "") << '\n';
  found.detail += std::move(detail).str();
  return found;
}

bool needs_values(const Call& call) {
  if (call.declared().empty()) {
    return false;
  }
  const auto& traits = traits_of(call.op());
  if (traits.data_dependent || (traits.wrong_meta_kernel && meta_kernel_is_wrong(call))) {
    return true;
  }
  if (!traits.dynamic_shape) {
    return false;
  }
  // The tag is per operator, but some calls of these two are told what others have to look up.
  if (call.name() == "aten::index") {
    return has_mask(call);
  }
  return call.name() != "aten::one_hot" || !knows_classes(call);
}

Violation values_needed(const Call& call, std::string torch_text) {
  // Python has a text of its own for item(), which is the one that people search for.
  if (call.name() == "aten::item" || call.name() == "aten::_local_scalar_dense") {
    std::string text("Tensor.item() cannot be called on meta tensors");
    if (!torch_text.empty()) {
      text.append("; ").append(torch_text);
    }
    torch_text = std::move(text);
  }
  return violation(call, Rule::MetaDataDependent, call.declared().front(), torch_text);
}

std::optional<Violation> check_results(const Call& call) {
  const auto values = call.values();
  const auto is_real = [](const at::Tensor& tensor) { return !tensor.is_meta(); };
  const bool has_real = std::any_of(values.begin(), values.end(), [&](const c10::IValue& value) {
    return any_tensor(value, is_real);
  });
  if (!has_real || call.declared().empty()) {
    return std::nullopt;
  }
  const auto& traits = traits_of(call.op());
  // Beside elements that have data, results that have data are right.
  if (traits.only_metadata || (traits.by_element && !call.real().empty())) {
    return std::nullopt;
  }
  auto found = violation(call, Rule::MetaMixed, call.declared().front(), "");
  found.detail +=
      "LibTorch returned a tensor with data, computed from one that has none: its values are "
      "garbage\n";
  return found;
}

bool is_about_missing_data(const c10::Error& error) {
  if (dynamic_cast<const MetaTensorError*>(&error) != nullptr) {
    return false;  // said already
  }
  if (dynamic_cast<const c10::NotImplementedError*>(&error) != nullptr) {
    return true;
  }
  const std::string_view text = error.what_without_backtrace();
  // LibTorch has no type for this, but a call that works on real tensors has no other reason to
  // name devices.
  static constexpr std::string_view kWords[] = {
      "meta", "Meta", "device", "CPU", "data is not allocated yet", "incompatible tensor type"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return text.find(word) != text.npos; });
}

Violation violation_of(const Call& call, const c10::Error& error) {
  std::string text = error.what_without_backtrace();
  if (text.find(kCopyOutText) != std::string::npos) {
    return violation(call, Rule::MetaCopyOut, call.declared().front(), text);
  }
  if (!call.real().empty()) {
    return violation(call, Rule::MetaMixed, call.declared().front(), text);
  }
  return values_needed(call, std::move(text));
}

}  // namespace metasan::guard
