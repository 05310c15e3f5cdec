#include "runtime/guard/tape.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <atomic>
#include <iterator>

namespace metasan::guard {

StorageId new_storage_id() {
  static std::atomic<StorageId> last{0};
  return ++last;
}

StorageView view_on(StorageId storage, const at::Tensor& tensor) {
  StorageView view{storage, {}, tensor.storage_offset(), tensor.dtype()};
  view.geometry.set_sizes(tensor.sizes());
  view.geometry.set_strides(tensor.strides());
  return view;
}

void retire_entry(TapeEntry* entry) {
  // An entry's end may be the end of those before it, and so on: a queue, as a history can be
  // longer than a stack is deep.
  thread_local std::vector<TapeEntry*>* queue = nullptr;
  if (queue != nullptr) {
    queue->push_back(entry);
    return;
  }
  std::vector<TapeEntry*> retiring{entry};
  queue = &retiring;
  while (!retiring.empty()) {
    std::unique_ptr<TapeEntry> next(retiring.back());
    retiring.pop_back();
    const auto tape = next->tape.lock();
    if (!tape || !tape->keep(next)) {
      next.reset();
    }
  }
  queue = nullptr;
}

EntryPtr share_entry(std::unique_ptr<TapeEntry> entry) {
  return {entry.release(), &retire_entry};
}

void Tape::add(const EntryPtr& random) {
  std::lock_guard lock(mutex_);
  random_.emplace_back(random);
}

void Tape::close() {
  std::lock_guard lock(mutex_);
  open_ = false;
}

std::vector<EntryPtr> Tape::living() const {
  std::lock_guard lock(mutex_);
  std::vector<EntryPtr> entries;
  for (const auto& weak : random_) {
    if (auto entry = weak.lock()) {
      entries.push_back(std::move(entry));
    }
  }
  return entries;
}

std::vector<EntryPtr> Tape::dead() const {
  std::lock_guard lock(mutex_);
  return dead_;
}

void Tape::forget_dead(std::uint64_t last) {
  std::vector<EntryPtr> forgotten;  // end after the lock does
  std::lock_guard lock(mutex_);
  const auto kept = std::stable_partition(
      dead_.begin(), dead_.end(), [&](const EntryPtr& entry) { return entry->time > last; });
  std::move(kept, dead_.end(), std::back_inserter(forgotten));
  dead_.erase(kept, dead_.end());
}

bool Tape::keep(std::unique_ptr<TapeEntry>& dying) {
  std::lock_guard lock(mutex_);
  if (open_) {
    dying->tape.reset();  // the next time it dies for good
    dead_.push_back(share_entry(std::move(dying)));
  }
  return open_;
}

}  // namespace metasan::guard
