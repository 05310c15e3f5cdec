#pragma once

#include <metasan/export.h>
#include <metasan/module_ref.h>

#include <cstdint>
#include <memory>
#include <source_location>
#include <utility>

namespace c10 {
struct InferenceMode;
}

namespace metasan {

/// The empty-weights scope: while one is alive, tensors that this thread creates are *declared*
/// (meta: shape and dtype, no storage), so that a module of any size is built in no time and no
/// memory. Initializers run, and do nothing.
///
///     torch::nn::Linear layer{nullptr};
///     {
///       metasan::InitEmptyWeights scope;
///       layer = torch::nn::Linear(4096, 16384);
///     }
///
/// - Tensors made from data that exists keep it: `torch::tensor({1, 2})`, `torch::from_blob(p,
/// sizes)`, and what `torch::load` and `torch::jit::load` read from a file.
/// - An explicit device is overridden, as everything becomes meta; `provenance_of` says so for the
/// tensor.
/// - Inference mode is switched off inside the scope, so that the module can be trained once it is
/// loaded.
/// - Scopes nest. The scope is left when the object dies, also by an exception.
/// - Thread safety: a scope belongs to the thread that made it and must be destroyed there; threads
/// started inside it
///   (`std::thread`, `at::parallel_for`) are outside it.
class METASAN_API InitEmptyWeights {
 public:
  explicit InitEmptyWeights(std::source_location where = std::source_location::current());
  ~InitEmptyWeights();
  InitEmptyWeights(const InitEmptyWeights&) = delete;
  InitEmptyWeights& operator=(const InitEmptyWeights&) = delete;

  /// A scope in which nothing at all happened is reported when it ends (`scope-misuse`, a warning):
  /// most likely the object has no name, and is gone before the module is built. This says that it
  /// is meant so.
  void may_stay_unused() { may_stay_unused_ = true; }

 private:
  std::source_location previous_;
  std::uint64_t operators_before_;
  bool may_stay_unused_ = false;
  std::unique_ptr<c10::InferenceMode> no_inference_mode_;
};

/// Tells MetaSan the module a set of declared tensors belongs to: from here on, reports and
/// `provenance_of` call each parameter and buffer by its fully qualified name
/// (`encoder.layer.0.weight`). The other entry points that take a module do it too; call it by hand
/// after building a module under an InitEmptyWeights object.
METASAN_API void name_tensors(ModuleRef module);

/// Runs `builder` under an InitEmptyWeights scope and returns the module it made, with its tensors
/// named.
///
///     auto layer = metasan::init_empty_weights([] { return torch::nn::Linear(4096, 16384); });
template <typename Builder>
auto init_empty_weights(Builder&& builder,
                        std::source_location where = std::source_location::current()) {
  auto module = [&] {
    InitEmptyWeights scope(where);
    scope.may_stay_unused();  // a module may have no tensors
    return std::forward<Builder>(builder)();
  }();
  name_tensors(module);
  return module;
}

}  // namespace metasan
