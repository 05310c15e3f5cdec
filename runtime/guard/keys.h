#pragma once

#include <c10/core/DispatchKey.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

/// The one place that knows which dispatch keys carry the guard.
///
/// Declared tensors and the empty scope use DeferredInit, which lies above Autograd: it sees
/// factory operators before they run and composite operators before they are taken apart. LibTorch
/// registers no fallback for it.
///
/// Tensors with data that are watched (uninitialized, offloaded) use Fake, which lies below
/// Autograd, ADInplaceOrView and Autocast and above the backends: operators arrive decomposed, with
/// what they alias and write in their schema, and gradients and version counters are right.
namespace metasan::guard {

inline constexpr c10::DispatchKey kDeclaredKey = c10::DispatchKey::DeferredInit;
inline constexpr c10::DispatchKey kTrackedKey = c10::DispatchKey::Fake;
inline constexpr c10::DispatchKeySet kGuardKeys({kDeclaredKey, kTrackedKey});

/// Throws c10::Error when another library had taken a key before MetaSan was loaded (the
/// registration itself runs while the library is loaded, where nothing may throw).
void require_keys();

/// Anything MetaSan calls from inside its fallback runs under this, or it would come back to the
/// fallback.
struct ExcludeGuardKeys {
  c10::impl::ExcludeDispatchKeyGuard keys{kGuardKeys};
};

}  // namespace metasan::guard
