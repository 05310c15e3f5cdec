#include "runtime/checkpoint/error.h"

#include <fmt/format.h>

#include <array>

namespace metasan {

std::string_view to_string(CheckpointErrorCode code) {
  static constexpr auto kNames = std::to_array<std::string_view>({
#define METASAN_CHECKPOINT_ERROR(Enumerator, ...) #Enumerator,
#include <metasan/checkpoint_errors.def>
  });
  return kNames[static_cast<std::size_t>(code)];
}

namespace checkpoint {

void fail(CheckpointErrorCode code, const std::filesystem::path& file, const std::string& tensor,
          const std::string& message) {
  throw CheckpointError(
      code, file, tensor,
      fmt::format("MetaSan: '{}': {} ({})", file.string(), message, to_string(code)));
}

}  // namespace checkpoint
}  // namespace metasan
