#include "runtime/guard/record.h"

#include "runtime/guard/keys.h"
#include "runtime/guard/raw_access.h"

#include <c10/core/Storage.h>

#include <algorithm>

namespace metasan::guard {
namespace {

void release_record(void* context) {
  // Records of what was computed from it keep the record; its values end with the storage.
  const auto record = c10::intrusive_ptr<Record>::reclaim(static_cast<Record*>(context));
  record->set_trace({});
}

}  // namespace

Record::Record(const Record* previous)
    : declaration_(previous == nullptr ? std::make_shared<const Declaration>()
                                       : previous->declaration()) {
  if (previous != nullptr) {
    inherit(*previous);
  }
}

std::string Record::name() const {
  {
    std::lock_guard lock(mutex);
    if (!name_.empty()) {
      return name_;
    }
  }
  return origin_ ? origin_->name() : std::string();
}

void Record::set_name(const std::string& name) {
  std::lock_guard lock(mutex);
  if (name_.empty()) {
    name_ = name;
  }
}

State Record::state() const {
  std::lock_guard lock(mutex);
  return real_.defined() ? State::Materialized : State::Declared;
}

History Record::history() const {
  std::lock_guard lock(mutex);
  return history_;
}

void Record::add_event(Event event) {
  std::lock_guard lock(mutex);
  history_.add(std::move(event));
}

void Record::inherit(const Record& previous) {
  auto name = previous.name();
  auto history = previous.history();
  auto binding = previous.binding();
  std::lock_guard lock(mutex);
  name_ = std::move(name);
  history_ = std::move(history);
  binding_ = std::move(binding);
}

BindingPtr Record::binding() const {
  {
    std::lock_guard lock(mutex);
    if (binding_ || !origin_) {
      return binding_;
    }
  }
  return origin_->binding();
}

void Record::set_binding(BindingPtr binding) {
  std::lock_guard lock(mutex);
  binding_ = std::move(binding);
}

Trace Record::trace() const {
  std::lock_guard lock(mutex);
  return trace_;
}

void Record::set_trace(Trace trace) {
  std::lock_guard lock(mutex);
  std::swap(trace_, trace);
}

void Record::add_view(const at::Tensor& view) {
  std::lock_guard lock(mutex);
  // Views come and go in loops: dead ones are dropped whenever the list would grow its allocation.
  if (views_.size() == views_.capacity()) {
    std::erase_if(views_, [](const auto& weak) { return weak.expired(); });
    views_.reserve(2 * views_.size() + 2);
  }
  views_.emplace_back(view.getIntrusivePtr());
}

std::vector<at::Tensor> Record::views() const {
  std::lock_guard lock(mutex);
  std::vector<at::Tensor> alive;
  for (const auto& weak : views_) {
    if (auto impl = weak.lock()) {
      alive.push_back(at::Tensor::wrap_tensor_impl(std::move(impl)));
    }
  }
  return alive;
}

void Record::set_real(at::Tensor real) {
  set_trace({});  // the values are there, wherever they come from
  std::lock_guard lock(mutex);
  real_ = std::move(real);
}

at::Tensor Record::real_view(const at::Tensor& guarded) const {
  at::Tensor real;
  {
    std::lock_guard lock(mutex);
    real = real_;
  }
  if (!real.defined()) {
    return real;
  }
  TORCH_CHECK(guarded.element_size() == real.element_size(), "MetaSan: '", name(),
              "' was loaded as ", real.dtype(),
              ", but a view of it that was made before the load reads it as ", guarded.dtype(),
              "; make the view after the load");
  const auto dtype = real.dtype();
  return tensor_on(real.storage(), real.key_set(), dtype, guarded,
                   real.storage_offset() + guarded.storage_offset());
}

void Record::allow_raw_access(c10::StorageImpl& storage) {
  storage.clear_data_ptr_access_error_msg_();
}

void Record::forbid_raw_access(c10::StorageImpl& storage) {
  storage.release_data_and_set_meta_custom_data_ptr_error_msg_(raw_access_text);
}

bool Record::begin_lift() {
  return lifts_++ == 0;
}
bool Record::end_lift() {
  return --lifts_ == 0;
}

RecordPtr record_of(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.key_set().has_any(kGuardKeys) || !tensor.has_storage()) {
    return {};
  }
  return record_on(*tensor.storage().unsafeGetStorageImpl());
}

RecordPtr record_on(c10::StorageImpl& storage) {
  auto& data = storage._mutable_data_ptr_no_checks();
  if (data.get_deleter() != &release_record) {
    return {};
  }
  return RecordPtr::reclaim_copy(static_cast<Record*>(data.get_context()));
}

RecordPtr declared_record_of(const at::Tensor& tensor) {
  return tensor.is_meta() ? record_of(tensor) : RecordPtr();
}

at::Tensor tensor_on(const c10::Storage& storage, c10::DispatchKeySet keys, caffe2::TypeMeta dtype,
                     const at::Tensor& geometry, int64_t storage_offset) {
  ExcludeGuardKeys exclude;
  auto tensor = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(storage), keys, dtype);
  auto* impl = tensor.unsafeGetTensorImpl();
  impl->set_storage_offset(storage_offset);
  impl->set_sizes_and_strides(geometry.sizes(), geometry.strides());
  return tensor;
}

c10::DataPtr data_ptr_with(const RecordPtr& record, void* data, c10::Device device) {
  return {data, RecordPtr(record).release(), &release_record, device};
}

namespace {

void set_keys(const at::Tensor& tensor, c10::DispatchKeySet keys) {
  const auto same =
      tensor_on(tensor.storage(), keys, tensor.dtype(), tensor, tensor.storage_offset());
  tensor.unsafeGetTensorImpl()->shallow_copy_from(same.getIntrusivePtr());
}

}  // namespace

void add_key(const at::Tensor& tensor, c10::DispatchKey key) {
  set_keys(tensor, tensor.key_set().add(key));
}

void remove_key(const at::Tensor& tensor, c10::DispatchKey key) {
  set_keys(tensor, tensor.key_set().remove(key));
}

void attach_record(const at::Tensor& meta_tensor, const RecordPtr& record) {
  auto* storage = meta_tensor.storage().unsafeGetStorageImpl();
  storage->set_data_ptr_noswap(data_ptr_with(record, nullptr, c10::kMeta));
  forbid_raw_access(*storage, *record, meta_tensor);
  add_key(meta_tensor, kDeclaredKey);
  record->add_view(meta_tensor);
}

}  // namespace metasan::guard
