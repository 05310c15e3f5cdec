#include "runtime/guard/keys.h"

#include "runtime/guard/fallback.h"

#include <c10/util/Exception.h>
#include <torch/library.h>

namespace metasan::guard {
namespace {

enum class Registration { Done, KeyTaken };

Registration register_declared_fallback() {
  if (c10::Dispatcher::singleton().hasBackendFallbackForDispatchKey(kDeclaredKey)) {
    return Registration::KeyTaken;
  }
  // Never destroyed: tensors with the key may outlive static destruction.
  static auto* library =
      new torch::Library(torch::Library::IMPL, "_", kDeclaredKey, __FILE__, __LINE__);
  library->fallback(torch::CppFunction::makeFromBoxedFunction<&declared_fallback>());
  return Registration::Done;
}

const Registration registration = register_declared_fallback();

}  // namespace

void require_keys() {
  TORCH_CHECK(registration == Registration::Done,
              "MetaSan: another library handles the dispatch key '", c10::toString(kDeclaredKey),
              "' in this process, so empty tensors cannot be guarded; load MetaSan first, or leave "
              "the other one out");
}

}  // namespace metasan::guard
