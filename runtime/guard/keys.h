#pragma once

#include <c10/core/DispatchKey.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

/// The one place that knows which dispatch keys carry the guard.
///
/// Declared tensors and the empty scope use DeferredInit, which lies above Autograd: it sees
/// factory operators before they run and composite operators before they are taken apart. LibTorch
/// registers no fallback for it. States whose operators must arrive below Autograd (offloaded,
/// uninitialized) will use DispatchKey::Fake, as a second constant here.
namespace metasan::guard {

inline constexpr c10::DispatchKey kDeclaredKey = c10::DispatchKey::DeferredInit;

/// Throws c10::Error when another library had taken a key before MetaSan was loaded (the
/// registration itself runs while the library is loaded, where nothing may throw).
void require_keys();

/// Anything MetaSan calls from inside its fallback runs under this, or it would come back to the
/// fallback.
struct ExcludeGuardKeys {
  c10::impl::ExcludeDispatchKeyGuard declared{kDeclaredKey};
};

}  // namespace metasan::guard
