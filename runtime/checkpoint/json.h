#pragma once

#include <simdjson.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace metasan::checkpoint {

/// A JSON text with a simdjson document over it. The text is read in place when enough readable
/// bytes follow it (simdjson reads a little beyond the end), and copied otherwise.
///
/// As strict as the reader of safetensors: at most 127 nested containers, no `-0`. Strings with
/// lone surrogates can pass: check names with is_unicode.
class JsonDocument {
 public:
  /// `readable` is the text and what follows it in the same mapping; `size` of its bytes are the
  /// text.
  JsonDocument(std::span<const std::byte> readable, std::size_t size);

  /// Empty when the text is JSON; else what is wrong with it.
  const std::string& error() const { return error_; }
  simdjson::dom::element root() const { return root_; }

 private:
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
  std::string error_;
};

/// True when a string of a document has no lone surrogate; simdjson lets some pass.
inline bool is_unicode(std::string_view text) {
  return simdjson::validate_utf8(text.data(), text.size());
}

}  // namespace metasan::checkpoint
