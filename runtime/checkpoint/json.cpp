#include "runtime/checkpoint/json.h"

namespace metasan::checkpoint {
namespace {

// What serde_json, and with it the safetensors reader, accepts.
constexpr std::size_t kDeepestNesting = 127;

/// simdjson turns the number -0 into 0, which would make it a legal dimension.
bool has_negative_zero(std::string_view text) {
  bool in_string = false;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '"') {
      in_string = !in_string;
    } else if (text[i] == '\\') {
      ++i;
    } else if (!in_string && text[i] == '-' && text[i + 1] == '0') {
      return true;
    }
  }
  return false;
}

}  // namespace

JsonDocument::JsonDocument(std::span<const std::byte> readable, std::size_t size) {
  if (size == 0) {
    error_ = "it is empty";
    return;
  }
  const auto* text = reinterpret_cast<const char*>(readable.data());
  const bool padded = readable.size() - size >= simdjson::SIMDJSON_PADDING;
  simdjson::error_code status = parser_.allocate(size, kDeepestNesting);
  if (status == simdjson::SUCCESS) {
    status = parser_.parse(text, size, /*realloc_if_needed=*/!padded).get(root_);
  }
  if (status != simdjson::SUCCESS) {
    error_ = simdjson::error_message(status);
  } else if (const std::string_view view(text, size);
             view.find("-0") != std::string_view::npos && has_negative_zero(view)) {
    error_ = "the number -0";
  }
}

}  // namespace metasan::checkpoint
