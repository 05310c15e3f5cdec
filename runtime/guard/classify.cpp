#include "runtime/guard/classify.h"

#include "runtime/guard/scope.h"
#include "runtime/guard/stack_args.h"

#include <algorithm>
#include <sstream>

namespace metasan::guard {
namespace {

constexpr std::string_view kCopyOutText = "Cannot copy out of meta tensor; no data!";

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.starts_with('*')) {
    return name.ends_with(pattern.substr(1));
  }
  if (pattern.ends_with('*')) {
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
  }
  return name == pattern;
}

bool only_metadata(std::string_view name) {
  static constexpr std::string_view kPatterns[] = {
#define METASAN_METADATA_ONLY(Name, Reason) Name,
#include "metasan/metadata_only.def"
  };
  return std::any_of(std::begin(kPatterns), std::end(kPatterns),
                     [&](std::string_view pattern) { return matches(pattern, name); });
}

Violation violation(const Call& call, Rule rule, const DeclaredArgument& argument,
                    std::string torch_text) {
  Violation found{.rule = rule,
                  .op = call.full_name(),
                  .argument = std::string(argument.name),
                  .tensors = {facts_of(argument.tensor)},
                  .torch_text = std::move(torch_text)};
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
  if (call.declared().empty() || only_metadata(call.name())) {
    return std::nullopt;
  }
  const auto real =
      std::find_if_not(call.real().begin(), call.real().end(),
                       [&](const TensorArgument& argument) { return harmless(call, argument); });
  if (real == call.real().end()) {
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
  if (call.op().hasTag(at::Tag::data_dependent_output)) {
    return true;
  }
  if (!call.op().hasTag(at::Tag::dynamic_output_shape)) {
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
    torch_text = "Tensor.item() cannot be called on meta tensors" +
                 (torch_text.empty() ? "" : "; " + torch_text);
  }
  return violation(call, Rule::MetaDataDependent, call.declared().front(), std::move(torch_text));
}

std::optional<Violation> check_results(const Call& call) {
  if (call.declared().empty() || only_metadata(call.name())) {
    return std::nullopt;
  }
  for (const auto& value : call.values()) {
    bool has_real = false;
    auto copy = value;
    for_each_tensor(copy, [&](const at::Tensor& tensor) {
      has_real |= !tensor.is_meta();
      return false;
    });
    if (has_real) {
      auto found = violation(call, Rule::MetaMixed, call.declared().front(), "");
      found.detail +=
          "LibTorch returned a tensor with data, computed from one that has none: its values are "
          "garbage\n";
      return found;
    }
  }
  return std::nullopt;
}

Violation violation_of(const Call& call, const c10::Error& error) {
  std::string text = error.what_without_backtrace();
  if (text.find(kCopyOutText) != std::string::npos) {
    return violation(call, Rule::MetaCopyOut, call.declared().front(), std::move(text));
  }
  return values_needed(call, std::move(text));
}

}  // namespace metasan::guard
