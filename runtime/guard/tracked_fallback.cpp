#include "runtime/guard/tracked_fallback.h"

#include "runtime/guard/access.h"
#include "runtime/guard/hits.h"
#include "runtime/guard/keys.h"
#include "runtime/guard/offloaded.h"
#include "runtime/guard/raw_access.h"
#include "runtime/guard/remembered.h"
#include "runtime/guard/stack_args.h"
#include "runtime/guard/stand_ins.h"
#include "runtime/guard/uninitialized_checks.h"

#include <utility>
#include <vector>

namespace metasan::guard {
namespace {

/// The offloaded arguments of a call, replaced by their values while it runs.
class Fetched {
 public:
  Fetched(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    const auto arguments = op.schema().arguments().size();
    const auto first = stack.size() - arguments;
    for (std::size_t i = 0; i < arguments; ++i) {
      for_each_tensor(stack[first + i], [&](at::Tensor& tensor) {
        const auto record = offloaded_record_of(tensor);
        if (!record) {
          return false;
        }
        const auto access = access_of(op, i);
        if (access == Access::None || access == Access::Replace) {
          left_.emplace_back(tensor, record);
          return false;
        }
        auto values = record->fetch(tensor);
        stand_ins_.add(tensor, values);
        if (is_written(op, i)) {
          written_.push_back({record, tensor, values});
        }
        tensor = std::move(values);
        return true;
      });
    }
  }

  /// Lets an operator that exchanges storages take pointers of those it is given, which are null.
  void lift(RawAccessLift& lift) const {
    for (const auto& [tensor, record] : left_) {
      lift.add(tensor, record);
    }
  }

  /// Writes back what was written, and gives the caller its own tensors as results.
  void return_to_caller(torch::jit::Stack& stack, std::size_t results) const {
    for (const auto& [record, guarded, values] : written_) {
      record->write_back(guarded, values);
    }
    stand_ins_.give_back(stack, stack.size() - results);
  }

 private:
  struct Written {
    OffloadedRecordPtr record;
    at::Tensor guarded;
    at::Tensor values;
  };
  StandIns stand_ins_;
  std::vector<Written> written_;
  std::vector<std::pair<at::Tensor, OffloadedRecordPtr>> left_;
};

/// Of a tensor that has got another storage: whether that one is watched.
void follow_storage(const at::Tensor& tensor) {
  auto record = tensor.is_meta() || !tensor.has_storage()
                    ? RecordPtr()
                    : record_on(*tensor.storage().unsafeGetStorageImpl());
  if ((record != nullptr) == tensor.key_set().has(kTrackedKey)) {
    return;
  }
  if (record) {
    add_key(tensor, kTrackedKey);
    record->add_view(tensor);
  } else {
    remove_key(tensor, kTrackedKey);
  }
}

bool replaces_storage(const c10::OperatorHandle& op) {
  const auto arguments = op.schema().arguments().size();
  return arguments > 0 && access_of(op, 0) == Access::Replace;
}

void run(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  UninitializedCheck uninitialized(op, stack);
  const ExcludeGuardKeys exclude;
  const Fetched fetched(op, stack);
  {
    RawAccessLift lift;
    uninitialized.lift(lift);
    if (replaces_storage(op)) {
      fetched.lift(lift);
    }
    op.callBoxed(&stack);
  }
  fetched.return_to_caller(stack, op.schema().returns().size());
  uninitialized.note_results(stack);
  if (replaces_storage(op)) {
    follow_storage(stack.back().toTensor());
  }
}

}  // namespace

void tracked_fallback(const c10::OperatorHandle& op, c10::DispatchKeySet,
                      torch::jit::Stack* stack) {
  count_hit();
  if (op.operator_name().name == "aten::_has_compatible_shallow_copy_type") {
    const auto replacement = torch::jit::pop(*stack).toTensor();
    const auto tensor = torch::jit::pop(*stack).toTensor();
    check_move(tensor, replacement);
    torch::jit::push(*stack, true);
    return;
  }
  run(op, *stack);
}

}  // namespace metasan::guard
