#pragma once

#include <metasan/state.h>

#include "runtime/guard/binding.h"
#include "runtime/guard/declaration.h"
#include "runtime/guard/history.h"
#include "runtime/guard/tape.h"

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include <mutex>
#include <string>
#include <vector>

namespace metasan::guard {

/// What MetaSan knows about one storage under guard. It is the context of the storage's DataPtr, so
/// every tensor on that storage (views, detached copies) finds it, and it dies with the storage.
///
/// This class is the record of a declared storage; storages in other states have records of their
/// own kinds (uninitialized.h, offloaded.h). Thread safe: `mutex` guards everything that is not
/// const.
class Record : public c10::intrusive_ptr_target {
 public:
  explicit Record(DeclarationPtr declaration) : declaration_(std::move(declaration)) {}
  /// A tensor in the state after that of `previous`, whose declaration, name, history and binding
  /// go on; null where nothing is known of it.
  explicit Record(const Record* previous);
  /// A tensor that an operator computed from `origin`: misuse of it names the tensor at the root.
  Record(c10::intrusive_ptr<Record> origin, std::string derived_by)
      : declaration_(origin->declaration_),
        origin_(std::move(origin)),
        derived_by_(std::move(derived_by)) {}

  /// Never null; empty for a tensor that was not made under a scope.
  const DeclarationPtr& declaration() const { return declaration_; }
  /// The operator that computed it; empty for a tensor that was declared itself.
  const std::string& derived_by() const { return derived_by_; }

  /// The fully qualified name of the tensor, or of the one it was computed from; empty when not
  /// known.
  std::string name() const;
  /// A tensor keeps the first name it is given.
  void set_name(const std::string& name);

  virtual State state() const;

  /// What happened to the tensor since it was declared.
  History history() const;
  void add_event(Event event);
  /// Takes name, history and binding of the record that the tensors had in the state before.
  void inherit(const Record& previous);

  /// The checkpoint that the tensor, or the one it was computed from, is bound to; null for none.
  BindingPtr binding() const;
  void set_binding(BindingPtr binding);

  /// How the values of the storage come about, by the tape.
  Trace trace() const;
  void set_trace(Trace trace);

  /// Remembers a tensor on this storage, so that materialize() reaches it.
  void add_view(const at::Tensor& view);
  /// The tensors on this storage that are still alive.
  std::vector<at::Tensor> views() const;

  /// From here on the storage has a stand-in with data: `real` has the geometry of the whole
  /// storage.
  void set_real(at::Tensor real);
  /// The data of `guarded`, a tensor on this storage, once set_real() was called; undefined before.
  at::Tensor real_view(const at::Tensor& guarded) const;

  /// Lets LibTorch's own code take raw pointers to the storage, which has this record, and forbids
  /// it again. Under the mutex.
  virtual void allow_raw_access(c10::StorageImpl& storage);
  virtual void forbid_raw_access(c10::StorageImpl& storage);

  /// Counts the calls that run with raw access to the storage allowed; true when the caller is the
  /// first or last.
  bool begin_lift();
  bool end_lift();

  /// The text of a raw-access error, which LibTorch throws for the storage; kept to restore it
  /// after a lift.
  std::string raw_access_text;
  mutable std::mutex mutex;

 private:
  const DeclarationPtr declaration_;
  const c10::intrusive_ptr<Record> origin_;
  const std::string derived_by_;
  std::string name_;
  History history_;
  BindingPtr binding_;
  Trace trace_;
  std::vector<c10::weak_intrusive_ptr<c10::TensorImpl>> views_;
  at::Tensor real_;
  int lifts_ = 0;
};
using RecordPtr = c10::intrusive_ptr<Record>;

/// For the record of a tensor that comes from elsewhere.
inline constexpr const Record* kNothingKnown = nullptr;

/// The record of a guarded tensor; null for every other tensor, undefined ones included.
RecordPtr record_of(const at::Tensor& tensor);

/// The record of a guarded storage; null for every other one.
RecordPtr record_on(c10::StorageImpl& storage);

/// The record, when it is of that kind; null when it is of another.
template <typename Kind>
c10::intrusive_ptr<Kind> record_as(const RecordPtr& record) {
  auto* kind = dynamic_cast<Kind*>(record.get());
  return kind == nullptr ? c10::intrusive_ptr<Kind>()
                         : c10::intrusive_ptr<Kind>::reclaim_copy(kind);
}

/// The record of a tensor without data; null for tensors in every other state.
RecordPtr declared_record_of(const at::Tensor& tensor);

/// A DataPtr to `data` that keeps `record` alive, which record_of() finds in it.
c10::DataPtr data_ptr_with(const RecordPtr& record, void* data, c10::Device device);

/// Adds `key` to the key set of `tensor`, in place, or takes it away. Autograd state and identity
/// stay.
void add_key(const at::Tensor& tensor, c10::DispatchKey key);
void remove_key(const at::Tensor& tensor, c10::DispatchKey key);

/// Puts a meta tensor under guard, in place: its storage gets the record, its key set the guard's
/// key.
void attach_record(const at::Tensor& meta_tensor, const RecordPtr& record);

/// A tensor on `storage` with the key set of `like_keys`, and the geometry of `geometry`; no
/// autograd state.
at::Tensor tensor_on(const c10::Storage& storage, c10::DispatchKeySet keys, caffe2::TypeMeta dtype,
                     const at::Tensor& geometry, int64_t storage_offset);

}  // namespace metasan::guard
