#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <unordered_map>

namespace metasan::guard {

/// Remembers what `compute` says of an operator, so that a call costs a look-up and no comparison
/// of names or tags. Not thread safe: meant to be thread_local.
template <typename Facts>
class PerOperator {
 public:
  explicit PerOperator(Facts (*compute)(const c10::OperatorHandle&)) : compute_(compute) {}

  /// Valid until the next call.
  const Facts& of(const c10::OperatorHandle& op) {
    const auto& name = op.operator_name();
    const auto found = known_.find(&name);
    // An operator may be gone, and another one be where it was.
    if (found != known_.end() && found->second.name == name) {
      return found->second.facts;
    }
    return known_.insert_or_assign(&name, Entry{name, compute_(op)}).first->second.facts;
  }

 private:
  struct Entry {
    c10::OperatorName name;
    Facts facts;
  };

  Facts (*compute_)(const c10::OperatorHandle&);
  std::unordered_map<const c10::OperatorName*, Entry> known_;
};

}  // namespace metasan::guard
