#include "runtime/guard/replay.h"

#include "runtime/guard/keys.h"
#include "runtime/guard/recorder.h"
#include "runtime/guard/saved_generator.h"
#include "runtime/guard/stack_args.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <sstream>

namespace metasan::guard {
namespace {

/// An entry and all that it builds on, each once.
class Closure {
 public:
  void add(const EntryPtr& entry) {
    std::vector<EntryPtr> open{entry};
    while (!open.empty()) {
      const EntryPtr next = std::move(open.back());
      open.pop_back();
      if (next && seen_.insert(next.get()).second) {
        open.insert(open.end(), next->before.begin(), next->before.end());
        entries_.push_back(next);
      }
    }
  }
  bool has(const TapeEntry& entry) const { return seen_.contains(&entry); }
  /// In the order of the calls.
  std::vector<EntryPtr> sorted() && {
    std::ranges::sort(entries_, {}, &TapeEntry::time);
    return std::move(entries_);
  }

 private:
  std::unordered_set<const TapeEntry*> seen_;
  std::vector<EntryPtr> entries_;
};

/// The dtype that factories use when they are not told one.
class DefaultDtype {
 public:
  explicit DefaultDtype(caffe2::TypeMeta dtype) : previous_(c10::get_default_dtype()) {
    set(dtype);
  }
  ~DefaultDtype() { set(previous_); }
  DefaultDtype(const DefaultDtype&) = delete;
  DefaultDtype& operator=(const DefaultDtype&) = delete;

 private:
  static void set(caffe2::TypeMeta dtype) {
    if (c10::get_default_dtype() != dtype) {
      c10::set_default_dtype(dtype);
    }
  }
  caffe2::TypeMeta previous_;
};

at::Tensor tensor_on_storage(const c10::Storage& storage, caffe2::TypeMeta dtype, int64_t offset,
                             at::IntArrayRef sizes, at::IntArrayRef strides) {
  const auto options = at::TensorOptions().device(storage.device()).dtype(dtype);
  return at::empty({0}, options).set_(storage, offset, sizes, strides);
}

at::Tensor tensor_on_storage(const c10::Storage& storage, const StorageView& view) {
  return tensor_on_storage(storage, view.dtype, view.offset, view.geometry.sizes_arrayref(),
                           view.geometry.strides_arrayref());
}

bool has_geometry(const at::Tensor& tensor, const StorageView& view) {
  return tensor.storage_offset() == view.offset &&
         tensor.strides() == view.geometry.strides_arrayref();
}

/// What the entries do runs as ordinary LibTorch, and makes tensors that can be trained.
struct PlainMode {
  ExcludeGuardKeys exclude;
  c10::InferenceMode no_inference{false};
  at::NoGradGuard no_grad;
};

}  // namespace

bool has_history(const at::Tensor& tensor) {
  const auto record = declared_record_of(tensor);
  return record && record->trace().last;
}

Replay::Replay(const std::vector<at::Tensor>& targets, Draws draws) {
  Closure closure;
  for (const auto& tensor : targets) {
    TORCH_INTERNAL_ASSERT(has_history(tensor));
    auto record = declared_record_of(tensor);
    auto trace = record->trace();
    if (wanted_.insert(trace.storage).second) {
      closure.add(trace.last);
      targets_.push_back({std::move(record), std::move(trace)});
    }
  }
  entries_ = std::move(closure).sorted();
  if (draws == Draws::AsConstructed && !entries_.empty()) {
    add_other_draws();
  }
  for (const auto& entry : entries_) {
    for (const auto& input : entry->inputs) {
      ++uses_[input.view.storage];
    }
  }
}

void Replay::add_other_draws() {
  Closure closure;
  std::unordered_set<const Tape*> tapes;
  std::vector<EntryPtr> living;
  std::vector<EntryPtr> dead;
  for (const auto& entry : entries_) {
    closure.add(entry);
  }
  for (const auto& target : targets_) {
    for (const auto& tape : target.trace.tapes) {
      if (tapes.insert(tape.get()).second) {
        std::ranges::copy(tape->living(), std::back_inserter(living));
        std::ranges::copy(tape->dead(), std::back_inserter(dead));
      }
    }
  }
  // The targets' last entry, and from there to the next one that belongs to another tensor: that
  // one will be drawn when its own tensor is made.
  const auto last_needed = entries_.back()->time;
  last_dead_ = std::numeric_limits<std::uint64_t>::max();
  for (const auto& entry : living) {
    if (entry->time < last_needed) {
      closure.add(entry);
    } else if (!closure.has(*entry)) {
      last_dead_ = std::min(last_dead_, entry->time);
    }
  }
  for (const auto& entry : dead) {
    if (entry->time <= last_dead_) {
      closure.add(entry);
    }
  }
  entries_ = std::move(closure).sorted();
}

bool Replay::is_random() const {
  return std::ranges::any_of(entries_, &TapeEntry::random);
}

void Replay::run(c10::Device device) {
  const PlainMode plain;
  SavedGenerator generator;
  for (const auto& entry : entries_) {
    try {
      play(*entry);
    } catch (const c10::Error& error) {
      fail(*entry, error.what_without_backtrace());
    }
    release(*entry, device);
  }
  generator.keep_drawn();
}

void Replay::play(const TapeEntry& entry) {
  auto stack = entry.arguments;
  std::vector<const c10::StorageImpl*> given;
  auto input = entry.inputs.begin();
  std::uint32_t index = 0;
  for (auto& value : stack) {
    // What the code read off an empty tensor: the device that it would have had.
    if (value.isDevice() && value.toDevice().is_meta()) {
      value = c10::Device(c10::kCPU);
    }
    for_each_tensor(value, [&](at::Tensor& tensor) {
      const bool is_input = input != entry.inputs.end() && input->index == index;
      ++index;
      if (is_input) {
        const auto storage = storages_.find(input->view.storage);
        TORCH_CHECK(storage != storages_.end(), "nothing tells the values of an argument ",
                    input->view.geometry.sizes_arrayref());
        tensor = tensor_on_storage(storage->second, input->view);
        ++input;
      }
      TORCH_CHECK(!tensor.is_meta(), "an argument ", tensor.sizes(),
                  " has no data, and was not made under an InitEmptyWeights scope");
      if (tensor.has_storage()) {
        given.push_back(tensor.storage().unsafeGetStorageImpl());
      }
      return is_input;
    });
  }
  {
    const DefaultDtype as_then(entry.default_dtype);
    entry.op.callBoxed(&stack);
  }
  auto output = entry.outputs.begin();
  index = 0;
  for (auto& value : stack) {
    for_each_tensor(value, [&](const at::Tensor& tensor) {
      if (output != entry.outputs.end() && output->index == index) {
        // The recorded call made a new storage; with data LibTorch may return the argument itself.
        const bool is_new =
            std::ranges::find(given, tensor.storage().unsafeGetStorageImpl()) == given.end();
        take_output(*output, is_new ? tensor : tensor.clone());
        ++output;
      }
      ++index;
      return false;
    });
  }
  TORCH_CHECK(output == entry.outputs.end(), "it returned fewer tensors than when it was recorded");
}

void Replay::take_output(const TapeEntry::Place& output, const at::Tensor& result) {
  const auto& view = output.view;
  TORCH_CHECK(result.sizes() == view.geometry.sizes_arrayref() && result.dtype() == view.dtype,
              "it returned ", result.sizes(), ' ', result.dtype(),
              " where it was recorded to return ", view.geometry.sizes_arrayref(), ' ', view.dtype);
  if (has_geometry(result, view)) {
    storages_[view.storage] = result.storage();
    return;
  }
  // Kernels may choose other strides than their counterparts for meta tensors; views of the result
  // were recorded by the latter.
  TORCH_CHECK(view.offset == 0,
              "it returned a part of a tensor where it was recorded to return all");
  auto laid_out = at::empty_strided(result.sizes(), view.geometry.strides_arrayref(),
                                    result.options().requires_grad(false));
  storages_[view.storage] = laid_out.copy_(result).storage();
}

void Replay::release(const TapeEntry& entry, c10::Device device) {
  const auto settle = [&](StorageId id) {
    const auto storage = storages_.find(id);
    if (storage == storages_.end() || uses_[id] != 0) {
      return;
    }
    if (!wanted_.contains(id)) {
      storages_.erase(storage);
    } else if (storage->second.device().is_cpu() && !device.is_cpu()) {
      const auto bytes = static_cast<int64_t>(storage->second.nbytes());
      storage->second =
          tensor_on_storage(storage->second, caffe2::TypeMeta::Make<uint8_t>(), 0, {bytes}, {1})
              .to(device)
              .storage();
    }
  };
  for (const auto& input : entry.inputs) {
    --uses_[input.view.storage];
    settle(input.view.storage);
  }
  for (const auto& output : entry.outputs) {
    settle(output.view.storage);
  }
}

void Replay::fail(const TapeEntry& entry, const std::string& reason) const {
  std::ostringstream text;
  text << "MetaSan: ";
  const auto target = std::ranges::find_if(targets_, [&](const Target& candidate) {
    Closure history;
    history.add(candidate.trace.last);
    return history.has(entry);
  });
  if (target == targets_.end()) {
    text << "a random tensor of the construction";
  } else if (const auto name = target->record->name(); !name.empty()) {
    text << '\'' << name << '\'';
  } else {
    text << "a tensor";
  }
  text << " cannot be given its initial values: " << entry.op.operator_name()
       << " cannot be replayed: " << reason;
  throw c10::Error(std::move(text).str(), nullptr);
}

at::Tensor Replay::data_of(const at::Tensor& declared) const {
  const PlainMode plain;
  const auto id = declared_record_of(declared)->trace().storage;
  return tensor_on_storage(storages_.at(id), view_on(id, declared));
}

at::Tensor Replay::storage_of(const Record& record, caffe2::TypeMeta dtype) const {
  const PlainMode plain;
  const auto& storage = storages_.at(record.trace().storage);
  return tensor_on_storage(storage, dtype, 0,
                           {static_cast<int64_t>(storage.nbytes() / dtype.itemsize())}, {1});
}

void Replay::commit() const {
  for (const auto& target : targets_) {
    for (const auto& tape : target.trace.tapes) {
      tape->forget_dead(last_dead_);
    }
  }
}

}  // namespace metasan::guard
