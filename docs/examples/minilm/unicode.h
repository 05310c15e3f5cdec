#pragma once

#include <string>
#include <string_view>

/// The part of Unicode that BERT's tokenizer needs.
namespace minilm {

/// UTF-8 to code points; a byte that is not UTF-8 becomes U+FFFD.
std::u32string decode_utf8(std::string_view text);
std::string encode_utf8(std::u32string_view text);

bool is_whitespace(char32_t c);
/// Control and format characters, which the tokenizer drops.
bool is_control(char32_t c);
bool is_punctuation(char32_t c);
/// Ideographs: each is a word of its own.
bool is_ideograph(char32_t c);
/// A combining accent, which the tokenizer drops after decomposing a letter.
bool is_combining_mark(char32_t c);

/// Lower case, without accents: 'É' gives 'e'. Covers Latin, Greek and Cyrillic; other letters are
/// returned unchanged.
char32_t fold(char32_t c);

}  // namespace minilm
