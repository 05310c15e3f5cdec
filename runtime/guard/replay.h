#pragma once

#include "runtime/guard/record.h"
#include "runtime/guard/tape.h"

#include <c10/core/Device.h>
#include <c10/core/Storage.h>

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace metasan::guard {

/// True for a tensor without data of which the tape tells how it was made.
bool has_history(const at::Tensor& tensor);

/// Which random entries a replay draws.
enum class Draws {
  OnlyNeeded,    ///< those that the targets are made from
  AsConstructed  ///< also those between and before them, so that the generator gives each entry the
                 ///< numbers that it would have given during construction
};

/// Runs the history of some tensors without data, to get the data they would have. Changes neither
/// the tensors nor the tape: tensors that the history goes through are made anew and freed after
/// their last use.
///
///     Replay replay({tensor}, Draws::OnlyNeeded);
///     replay.run();
///     materialize(tensor, replay.data_of(tensor));
class Replay {
 public:
  /// `targets` are tensors with a history; two on one storage are one target.
  Replay(const std::vector<at::Tensor>& targets, Draws draws);

  /// True when a number of the targets' history is drawn from a generator.
  bool is_random() const;

  /// Makes the data; a storage that comes out on the CPU is moved to `device`. Throws c10::Error
  /// that names a tensor and the operator when one cannot be replayed; the default generator then
  /// is where it was.
  void run(c10::Device device = c10::kCPU);

  /// The data of a tensor that is one of the targets, or on the storage of one. After run().
  at::Tensor data_of(const at::Tensor& declared) const;
  /// The whole storage of one of the targets as a vector of elements of `dtype`. After run().
  at::Tensor storage_of(const Record& record, caffe2::TypeMeta dtype) const;

  /// Random entries that belong to no tensor and were replayed have had their turn: they are not
  /// replayed again. To be called when the data are used.
  void commit() const;

 private:
  struct Target {
    RecordPtr record;
    Trace trace;
  };

  void add_other_draws();
  void play(const TapeEntry& entry);
  void take_output(const TapeEntry::Place& output, const at::Tensor& result);
  void release(const TapeEntry& entry, c10::Device device);
  [[noreturn]] void fail(const TapeEntry& entry, const std::string& reason) const;

  std::vector<Target> targets_;
  std::unordered_set<StorageId> wanted_;                  // storages of the targets
  std::vector<EntryPtr> entries_;                         // in the order of the calls
  std::unordered_map<StorageId, std::size_t> uses_;       // by entries still to be played
  std::unordered_map<StorageId, c10::Storage> storages_;  // that are alive
  std::uint64_t last_dead_ = 0;  // entries of no tensor are replayed up to this time
};

}  // namespace metasan::guard
