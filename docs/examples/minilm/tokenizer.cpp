#include "tokenizer.h"

#include "unicode.h"

#include <fstream>
#include <stdexcept>

namespace minilm {
namespace {

// Longer words are [UNK], as in the reference tokenizer: the search below is quadratic in the
// length.
constexpr std::size_t kMaxWordLength = 100;

/// Normalizes `text` and splits it into words.
std::vector<std::u32string> words_of(std::string_view text) {
  std::vector<std::u32string> words;
  std::u32string word;
  const auto end_word = [&] {
    if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  };
  for (char32_t c : decode_utf8(text)) {
    if (is_whitespace(c)) {
      end_word();
    } else if (is_punctuation(c) || is_ideograph(c)) {
      end_word();
      words.push_back({c});
    } else if (!is_control(c) && !is_combining_mark(c)) {
      word.push_back(fold(c));
    }
  }
  end_word();
  return words;
}

}  // namespace

Tokenizer::Tokenizer(const std::filesystem::path& vocabulary, std::size_t max_tokens)
    : max_tokens_(max_tokens) {
  std::ifstream file(vocabulary);
  if (!file) {
    throw std::runtime_error("cannot read the vocabulary " + vocabulary.string());
  }
  for (std::string piece; std::getline(file, piece);) {
    ids_.emplace(piece, static_cast<int64_t>(ids_.size()));
  }
  cls_ = special("[CLS]", vocabulary);
  sep_ = special("[SEP]", vocabulary);
  unknown_ = special("[UNK]", vocabulary);
}

int64_t Tokenizer::special(const std::string& piece,
                           const std::filesystem::path& vocabulary) const {
  const auto found = ids_.find(piece);
  if (found == ids_.end()) {
    throw std::runtime_error("the vocabulary " + vocabulary.string() + " has no " + piece);
  }
  return found->second;
}

std::vector<int64_t> Tokenizer::encode(std::string_view text) const {
  std::vector<int64_t> ids{cls_};
  for (const std::u32string& word : words_of(text)) {
    append_pieces(word, ids);
  }
  if (ids.size() > max_tokens_ - 1) {
    ids.resize(max_tokens_ - 1);
  }
  ids.push_back(sep_);
  return ids;
}

void Tokenizer::append_pieces(std::u32string_view word, std::vector<int64_t>& ids) const {
  const std::size_t size_before = ids.size();
  const auto give_up = [&] {
    ids.resize(size_before);
    ids.push_back(unknown_);
  };
  if (word.size() > kMaxWordLength) {
    return give_up();
  }
  for (std::size_t start = 0; start < word.size();) {
    std::size_t length = word.size() - start;
    for (; length > 0; --length) {
      const std::string piece = (start == 0 ? "" : "##") + encode_utf8(word.substr(start, length));
      if (const auto found = ids_.find(piece); found != ids_.end()) {
        ids.push_back(found->second);
        break;
      }
    }
    if (length == 0) {
      return give_up();
    }
    start += length;
  }
}

}  // namespace minilm
