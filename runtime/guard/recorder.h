#pragma once

#include "runtime/guard/call.h"
#include "runtime/guard/tape.h"

#include <memory>
#include <utility>
#include <vector>

namespace metasan::guard {

/// Puts one call on the tape. Made before the call runs, and before its arguments are rewritten:
///
///     Recorder recorder(call);
///     call.run();
///     recorder.add_output(0, result, record);
///     recorder.finish();
class Recorder {
 public:
  explicit Recorder(const Call& call);

  /// A result on a new storage; `result` counts the defined tensors among all results.
  void add_output(std::uint32_t result, const at::Tensor& tensor, RecordPtr record);

  /// Makes the entry, if the call made a storage or wrote one. Without it nothing is recorded.
  void finish();

 private:
  bool writes() const;
  void capture_constants();
  /// The tapes of the current scope and of all inputs; sets the entry's `before`.
  c10::SmallVector<TapePtr, 1> connect();

  const Call& call_;
  std::unique_ptr<TapeEntry> entry_;
  std::vector<RecordPtr> made_;  // for each output
};

/// Stands for a tensor without data in the arguments of an entry.
const at::Tensor& placeholder();

}  // namespace metasan::guard
