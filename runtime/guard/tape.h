#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/core/impl/SizesAndStrides.h>
#include <c10/util/SmallVector.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

/// How the values of tensors without data would come about: the calls that made and wrote them.
///
/// Each entry holds the entries it builds on, and a storage's record holds the last one, so what
/// nothing needs any more dies by itself. Random entries are the exception, as leaving one out
/// changes the numbers that the next one draws: a tape keeps those that die while its scope is
/// open.
namespace metasan::guard {

/// Names a storage for as long as an entry does, which may be longer than the storage lives; 0 is
/// none.
using StorageId = std::uint64_t;
StorageId new_storage_id();

/// A tensor on a storage, by its metadata alone.
struct StorageView {
  StorageId storage;
  c10::impl::SizesAndStrides geometry;
  int64_t offset;
  caffe2::TypeMeta dtype;
};
StorageView view_on(StorageId storage, const at::Tensor& tensor);

class Tape;
using TapePtr = std::shared_ptr<Tape>;
struct TapeEntry;
using EntryPtr = std::shared_ptr<const TapeEntry>;

/// One call that made or wrote storages without data.
struct TapeEntry {
  /// A tensor without data among the arguments, or one on a new storage among the results.
  struct Place {
    std::uint32_t index;  ///< among the defined tensors of all arguments, or of all results
    StorageView view;
  };

  c10::OperatorHandle op;
  torch::jit::Stack arguments;     ///< as the caller gave them; a placeholder for each of `inputs`
  std::vector<Place> inputs;       ///< ascending
  std::vector<Place> outputs;      ///< ascending
  std::vector<EntryPtr> before;    ///< the latest entry of each of the inputs' storages
  std::uint64_t time;              ///< ascending in the order of the calls, over all threads
  caffe2::TypeMeta default_dtype;  ///< of the process, at the time of the call
  bool random;                     ///< draws from a generator
  std::weak_ptr<Tape> tape;        ///< of a random entry: who keeps it when it dies
};

/// Takes over an entry that nothing holds yet.
EntryPtr share_entry(std::unique_ptr<TapeEntry> entry);

/// How the values of one storage come about.
struct Trace {
  StorageId storage = 0;
  EntryPtr last;                       ///< null when nobody saw how the storage was made
  c10::SmallVector<TapePtr, 1> tapes;  ///< of the scopes that its history goes through
};

/// The random entries of one empty-weights scope, the scopes inside it included. Thread safe.
class Tape {
 public:
  void add(const EntryPtr& random);
  /// The scope ended: from here on an entry that dies goes for good, as when its tensor is loaded.
  void close();

  /// Random entries that a storage still alive needs.
  std::vector<EntryPtr> living() const;
  /// Random entries that nothing needs, but that were drawn during construction.
  std::vector<EntryPtr> dead() const;
  /// Dead entries up to the time `last` had their turn.
  void forget_dead(std::uint64_t last);

 private:
  friend void retire_entry(TapeEntry* entry);
  /// Keeps a dying entry while the scope is open.
  bool keep(std::unique_ptr<TapeEntry>& dying);

  mutable std::mutex mutex_;
  bool open_ = true;
  std::vector<std::weak_ptr<const TapeEntry>> random_;
  std::vector<EntryPtr> dead_;
};

}  // namespace metasan::guard
