#include "runtime/load/scalar_type.h"

namespace metasan::load {

c10::ScalarType scalar_type_of(checkpoint::Dtype dtype) {
  switch (dtype) {
#define METASAN_DTYPE(Name, Bits, Scalar) \
  case checkpoint::Dtype::Name:           \
    return c10::ScalarType::Scalar;
#include "runtime/checkpoint/dtypes.def"
  }
  return c10::ScalarType::Undefined;
}

std::vector<std::uint64_t> sizes_of(const checkpoint::Entry& entry) {
  std::vector<std::uint64_t> sizes = entry.shape;
  if (entry.dtype == checkpoint::Dtype::F4 && !sizes.empty()) {
    sizes.back() /= 2;
  }
  return sizes;
}

}  // namespace metasan::load
