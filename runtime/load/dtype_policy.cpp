#include "runtime/load/dtype_policy.h"

#include <c10/util/Exception.h>

namespace metasan::load {
namespace {

/// A packed type has no conversion; it only fits itself.
bool is_plain_float(c10::ScalarType type) {
  return c10::isFloatingType(type) && type != c10::ScalarType::Float4_e2m1fn_x2;
}

bool is_unsigned(c10::ScalarType type) {
  return type == c10::ScalarType::Byte || type == c10::ScalarType::UInt16 ||
         type == c10::ScalarType::UInt32 || type == c10::ScalarType::UInt64;
}

/// True when `to` has every value of `from`.
bool widens(c10::ScalarType from, c10::ScalarType to) {
  if (!c10::isIntegralType(from, /*includeBool=*/false) ||
      !c10::isIntegralType(to, /*includeBool=*/false)) {
    return false;
  }
  return c10::elementSize(to) > c10::elementSize(from) && (is_unsigned(from) || !is_unsigned(to));
}

}  // namespace

std::optional<c10::ScalarType> dtype_after_load(c10::ScalarType declared, c10::ScalarType found,
                                                const LoadOptions& options) {
  if (is_plain_float(declared) && is_plain_float(found)) {
    return options.checkpoint_dtype ? found : options.dtype.value_or(declared);
  }
  if (declared == found || widens(found, declared)) {
    return declared;
  }
  return std::nullopt;
}

void check_dtype_options(const LoadOptions& options) {
  TORCH_CHECK(
      !options.dtype || !options.checkpoint_dtype,
      "MetaSan: LoadOptions: dtype and checkpoint_dtype contradict each other; give one of them");
  TORCH_CHECK(!options.dtype || is_plain_float(*options.dtype), "MetaSan: LoadOptions: dtype is ",
              c10::toString(*options.dtype),
              ", but only floating-point tensors are cast; give a floating-point dtype");
}

}  // namespace metasan::load
