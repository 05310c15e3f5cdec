#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace minilm {

/// BERT's uncased WordPiece tokenizer.
///
/// Text is cleaned, lower-cased, stripped of accents and split at whitespace, punctuation and
/// ideographs; each word becomes the longest pieces that the vocabulary holds. Special tokens
/// written in the text, as in "[SEP]", are text.
class Tokenizer {
 public:
  /// Reads a vocab.txt: one piece a line, its id is the line's number from 0. Throws
  /// std::runtime_error when the file cannot be read or lacks [CLS], [SEP] or [UNK]. `max_tokens`
  /// counts the two special tokens.
  explicit Tokenizer(const std::filesystem::path& vocabulary, std::size_t max_tokens = 128);

  /// The ids of `[CLS] pieces... [SEP]`, cut to max_tokens. `text` is UTF-8.
  std::vector<int64_t> encode(std::string_view text) const;

 private:
  int64_t special(const std::string& piece, const std::filesystem::path& vocabulary) const;
  void append_pieces(std::u32string_view word, std::vector<int64_t>& ids) const;

  std::unordered_map<std::string, int64_t> ids_;
  std::size_t max_tokens_;
  int64_t cls_;
  int64_t sep_;
  int64_t unknown_;
};

}  // namespace minilm
