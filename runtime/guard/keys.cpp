#include "runtime/guard/keys.h"

#include "runtime/guard/fallback.h"
#include "runtime/guard/registration.h"
#include "runtime/guard/tracked_fallback.h"

#include <c10/util/Exception.h>

#include <optional>

namespace metasan::guard {
namespace {

using Fallback = void (*)(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack*);

bool is_taken(c10::DispatchKey key) {
  return c10::Dispatcher::singleton().hasBackendFallbackForDispatchKey(key);
}

template <Fallback kFallback>
void register_fallback(c10::DispatchKey key) {
  permanent_library("_", key).fallback(torch::CppFunction::makeFromBoxedFunction<kFallback>());
}

/// The key that another library had taken before, or nothing.
std::optional<c10::DispatchKey> register_fallbacks() {
  for (const auto key : {kDeclaredKey, kTrackedKey}) {
    if (is_taken(key)) {
      return key;
    }
  }
  register_fallback<&declared_fallback>(kDeclaredKey);
  register_fallback<&tracked_fallback>(kTrackedKey);
  return std::nullopt;
}

const std::optional<c10::DispatchKey> taken_key = register_fallbacks();

}  // namespace

void require_keys() {
  TORCH_CHECK(!taken_key, "MetaSan: another library handles the dispatch key '",
              c10::toString(*taken_key),
              "' in this process, so tensors cannot be guarded; load MetaSan first, or leave the "
              "other one out");
}

}  // namespace metasan::guard
