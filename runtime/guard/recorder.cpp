#include "runtime/guard/recorder.h"

#include "runtime/guard/keys.h"
#include "runtime/guard/scope.h"
#include "runtime/guard/stack_args.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <atomic>

namespace metasan::guard {
namespace {

std::uint64_t now() {
  static std::atomic<std::uint64_t> time{0};
  return ++time;
}

void add_tape(c10::SmallVector<TapePtr, 1>& tapes, const TapePtr& tape) {
  if (tape && std::find(tapes.begin(), tapes.end(), tape) == tapes.end()) {
    tapes.push_back(tape);
  }
}

}  // namespace

const at::Tensor& placeholder() {
  static const auto* tensor = [] {
    const ExcludeGuardKeys exclude;
    return new at::Tensor(at::empty({0}, at::TensorOptions().device(c10::kCPU)));
  }();
  return *tensor;
}

Recorder::Recorder(const Call& call)
    : call_(call),
      entry_(std::make_unique<TapeEntry>(
          TapeEntry{.op = call.op(),
                    .arguments = call.copy_arguments(),
                    .inputs = {},
                    .outputs = {},
                    .before = {},
                    .time = 0,
                    .default_dtype = c10::get_default_dtype(),
                    .random = call.op().hasTag(at::Tag::nondeterministic_seeded),
                    .tape = {}})) {
  if (!call.has_tensors()) {
    return;
  }
  std::uint32_t index = 0;
  for (auto& argument : entry_->arguments) {
    for_each_tensor(argument, [&](at::Tensor& tensor) {
      const auto& declared = call_.declared();
      const auto next = entry_->inputs.size();
      // Call lists them in this order.
      const bool is_declared = next < declared.size() && declared[next].tensor.is_same(tensor);
      if (is_declared) {
        entry_->inputs.push_back({index, view_on(declared[next].record->trace().storage, tensor)});
        tensor = placeholder();
      }
      ++index;
      return is_declared;
    });
  }
}

void Recorder::add_output(std::uint32_t result, const at::Tensor& tensor, RecordPtr record) {
  entry_->outputs.push_back({result, view_on(new_storage_id(), tensor)});
  made_.push_back(std::move(record));
}

void Recorder::finish() {
  if (entry_->outputs.empty() && !writes()) {
    return;
  }
  capture_constants();
  const auto tapes = connect();
  entry_->time = now();
  const auto scope_tape = empty_scope_tape();
  if (entry_->random) {
    entry_->tape = scope_tape;
  }
  const EntryPtr entry = share_entry(std::move(entry_));
  if (entry->random && scope_tape) {
    scope_tape->add(entry);
  }
  for (std::size_t i = 0; i < made_.size(); ++i) {
    made_[i]->set_trace({entry->outputs[i].view.storage, entry, tapes});
  }
  for (const auto& argument : call_.declared()) {
    if (argument.written) {
      argument.record->set_trace({argument.record->trace().storage, entry, tapes});
    }
  }
}

bool Recorder::writes() const {
  // set_ gives a tensor another storage, and writes to none.
  return call_.name() != "aten::set_" &&
         std::any_of(call_.declared().begin(), call_.declared().end(),
                     [](const DeclaredArgument& argument) { return argument.written; });
}

void Recorder::capture_constants() {
  if (call_.real().empty()) {
    return;
  }
  const ExcludeGuardKeys exclude;
  const c10::InferenceMode no_inference(false);
  const at::NoGradGuard no_grad;
  for (auto& argument : entry_->arguments) {
    for_each_tensor(argument, [](at::Tensor& tensor) {
      if (tensor.is_same(placeholder()) || tensor.is_meta()) {
        return false;
      }
      tensor = tensor.detach().clone();  // its owner may change it before the replay
      return true;
    });
  }
}

c10::SmallVector<TapePtr, 1> Recorder::connect() {
  c10::SmallVector<TapePtr, 1> tapes;
  add_tape(tapes, empty_scope_tape());
  for (const auto& argument : call_.declared()) {
    const auto trace = argument.record->trace();
    for (const auto& tape : trace.tapes) {
      add_tape(tapes, tape);
    }
    if (trace.last) {
      entry_->before.push_back(trace.last);
    }
  }
  return tapes;
}

}  // namespace metasan::guard
