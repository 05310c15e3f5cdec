#include "runtime/checkpoint/dtype.h"

#include <algorithm>
#include <array>

namespace metasan::checkpoint {
namespace {

struct DtypeInfo {
  std::string_view name;
  std::uint64_t bits;
};

constexpr auto kDtypes = std::to_array<DtypeInfo>({
#define METASAN_DTYPE(Name, Bits, ...) {#Name, Bits},
#include "runtime/checkpoint/dtypes.def"
});

}  // namespace

std::string_view to_string(Dtype dtype) {
  return kDtypes[static_cast<std::size_t>(dtype)].name;
}

std::optional<Dtype> dtype_from_name(std::string_view name) {
  const auto it = std::ranges::find(kDtypes, name, &DtypeInfo::name);
  if (it == kDtypes.end()) {
    return std::nullopt;
  }
  return static_cast<Dtype>(it - kDtypes.begin());
}

std::uint64_t bits_of(Dtype dtype) {
  return kDtypes[static_cast<std::size_t>(dtype)].bits;
}

}  // namespace metasan::checkpoint
