#include "runtime/guard/remembered.h"

#include "runtime/guard/offloaded.h"
#include "runtime/guard/violation.h"

#include <mutex>
#include <unordered_map>

namespace metasan::guard {
namespace {

using WeakTensor = c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;

struct Known {
  WeakTensor tensor;
  RecordPtr record = {};
  bool placed = false;
};

class Registry {
 public:
  static Registry& instance() {
    static auto* registry = new Registry();  // tensors outlive static destruction
    return *registry;
  }

  /// Calls `change` with what is known of the tensor, nothing at first.
  template <typename Change>
  void update(const at::Tensor& tensor, Change&& change) {
    const std::lock_guard lock(mutex_);
    drop_dead();
    auto* impl = tensor.unsafeGetTensorImpl();
    auto found = known_.find(impl);
    if (found != known_.end() && found->second.tensor.expired()) {
      known_.erase(found);  // of another tensor, that was at this address
      found = known_.end();
    }
    if (found == known_.end()) {
      found = known_.emplace(impl, Known{WeakTensor(tensor.getIntrusivePtr())}).first;
    }
    change(found->second);
  }

  /// What `read` says of the tensor, or T().
  template <typename T, typename Read>
  T look_up(const at::Tensor& tensor, Read&& read) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(tensor.unsafeGetTensorImpl());
    return found == known_.end() || found->second.tensor.expired() ? T() : read(found->second);
  }

 private:
  void drop_dead() {
    if (known_.size() < limit_) {
      return;
    }
    std::erase_if(known_, [](const auto& entry) { return entry.second.tensor.expired(); });
    limit_ = std::max(kFirstLimit, 2 * known_.size());
  }

  static constexpr std::size_t kFirstLimit = 1024;

  std::mutex mutex_;
  std::unordered_map<const c10::TensorImpl*, Known> known_;
  std::size_t limit_ = kFirstLimit;
};

}  // namespace

void remember(const at::Tensor& tensor, const RecordPtr& record) {
  // Without views and data: only what it says is kept.
  auto kept = c10::make_intrusive<Record>(record.get());
  Registry::instance().update(tensor, [&](Known& known) { known.record = std::move(kept); });
}

RecordPtr recall(const at::Tensor& tensor) {
  return Registry::instance().look_up<RecordPtr>(tensor,
                                                 [](const Known& known) { return known.record; });
}

void set_placed(const at::Tensor& tensor, const std::string& name) {
  Registry::instance().update(tensor, [&](Known& known) {
    known.placed = true;
    if (!known.record) {
      known.record = c10::make_intrusive<Record>(kNothingKnown);
    }
    known.record->set_name(name);
  });
}

void clear_placed(const at::Tensor& tensor) {
  if (is_placed(tensor)) {
    Registry::instance().update(tensor, [](Known& known) { known.placed = false; });
  }
}

bool is_placed(const at::Tensor& tensor) {
  return Registry::instance().look_up<bool>(tensor,
                                            [](const Known& known) { return known.placed; });
}

void check_move(const at::Tensor& tensor, const at::Tensor& replacement) {
  const auto offloaded = offloaded_record_of(tensor);
  if (replacement.device() == tensor.device() || (!offloaded && !is_placed(tensor))) {
    return;
  }
  Violation violation{.rule = Rule::MoveAfterDispatch,
                      .op = "set_data (Module::to)",
                      .tensors = {facts_of(tensor)}};
  if (offloaded) {
    // What accelerate says in Python.
    violation.torch_text = "You can't move a model that has some modules offloaded to cpu or disk.";
  }
  violation.detail = "from " + tensor.device().str() + " to " + replacement.device().str() + '\n';
  report(violation);
}

}  // namespace metasan::guard
