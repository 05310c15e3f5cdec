#include "unicode.h"

#include <algorithm>
#include <array>

namespace minilm {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
constexpr bool contains(const std::array<Range, N>& ranges, char32_t c) {
  return std::ranges::any_of(ranges, [c](Range r) { return r.first <= c && c <= r.last; });
}

constexpr std::array kWhitespace{
    Range{'\t', '\n'},     Range{'\r', '\r'},     Range{' ', ' '},       Range{0xA0, 0xA0},
    Range{0x1680, 0x1680}, Range{0x2000, 0x200A}, Range{0x2028, 0x2029}, Range{0x202F, 0x202F},
    Range{0x205F, 0x205F}, Range{0x3000, 0x3000},
};

constexpr std::array kControl{
    Range{0x00, 0x08},     Range{0x0B, 0x0C},     Range{0x0E, 0x1F},     Range{0x7F, 0x9F},
    Range{0xAD, 0xAD},     Range{0x200B, 0x200F}, Range{0x202A, 0x202E}, Range{0x2060, 0x206F},
    Range{0xE000, 0xF8FF}, Range{0xFEFF, 0xFEFF}, Range{0xFFF9, 0xFFFB}, Range{0xFFFD, 0xFFFD},
};

// In ASCII BERT counts every symbol, elsewhere only Unicode's category P.
constexpr std::array kPunctuation{
    Range{'!', '/'},       Range{':', '@'},       Range{'[', '`'},       Range{'{', '~'},
    Range{0xA1, 0xA1},     Range{0xA7, 0xA7},     Range{0xAB, 0xAB},     Range{0xB6, 0xB7},
    Range{0xBB, 0xBB},     Range{0xBF, 0xBF},     Range{0x37E, 0x37E},   Range{0x387, 0x387},
    Range{0x2010, 0x2027}, Range{0x2030, 0x2043}, Range{0x2045, 0x2051}, Range{0x2053, 0x205E},
    Range{0x207D, 0x207E}, Range{0x208D, 0x208E}, Range{0x3001, 0x3003}, Range{0x3008, 0x3011},
    Range{0x3014, 0x301F}, Range{0x3030, 0x3030}, Range{0x303D, 0x303D}, Range{0x30A0, 0x30A0},
    Range{0x30FB, 0x30FB}, Range{0xFF01, 0xFF03}, Range{0xFF05, 0xFF0A}, Range{0xFF0C, 0xFF0F},
    Range{0xFF1A, 0xFF1B}, Range{0xFF1F, 0xFF20}, Range{0xFF3B, 0xFF3D}, Range{0xFF3F, 0xFF3F},
    Range{0xFF5B, 0xFF5B}, Range{0xFF5D, 0xFF5D}, Range{0xFF5F, 0xFF65},
};

constexpr std::array kIdeographs{
    Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},   Range{0xF900, 0xFAFF},
    Range{0x20000, 0x2A6DF}, Range{0x2A700, 0x2B73F}, Range{0x2B740, 0x2B81F},
    Range{0x2B920, 0x2CEAF}, Range{0x2F800, 0x2FA1F},
};

/// For a run of code points, each one's lower-case base letter: decomposed (NFD), accents dropped.
struct FoldTable {
  char32_t first;
  std::u32string_view folded;
};

constexpr std::array kFold{
    FoldTable{0x00C0,  // Latin-1, Latin Extended-A and -B
              U"aaaaaaæceeeeiiiiðnooooo×øuuuuyþßaaaaaaæceeeeiiiiðnooooo÷øuuuuyþy"
              U"aaaaaaccccccccddđđeeeeeeeeeegggggggghhħħiiiiiiiiiıĳĳjjkkĸllllllŀ"
              U"ŀłłnnnnnnŉŋŋooooooœœrrrrrrssssssssttttŧŧuuuuuuuuuuuuwwyyyzzzzzzſ"
              U"ƀɓƃƃƅƅɔƈƈɖɗƌƌƍǝəɛƒƒɠɣƕɩɨƙƙƚƛɯɲƞɵooƣƣƥƥʀƨƨʃƪƫƭƭʈuuʊʋƴƴƶƶʒƹƹƺƻƽƽƾƿ"
              U"ǀǁǂǃǆǆǆǉǉǉǌǌǌaaiioouuuuuuuuuuǝaaaaææǥǥggkkooooʒʒjǳǳǳggƕƿnnaaææøø"
              U"aaaaeeeeiiiioooorrrruuuussttȝȝhhƞȡȣȣȥȥaaeeooooooooyyȴȵȶȷȸȹⱥȼȼƚⱦȿ"
              U"ɀɂɂƀʉʌɇɇɉɉɋɋɍɍɏɏ"},
    FoldTable{0x0388,  // Greek
              U"εηι΋ο΍υωιαβγδεζηθικλμνξοπρ"
              U"΢στυφχψωιυαεηιυαβγδεζηθικλμνξοπρς"
              U"στυφχψωιυουω"},
    FoldTable{0x0400,  // Cyrillic
              U"ееђгєѕііјљњћкиуџабвгдежзииклмнопрстуфхцчшщъыьэюяабвгдежзииклмноп"
              U"рстуфхцчшщъыьэюяееђгєѕііјљњћкиуџ"},
    FoldTable{0x1E00,  // Latin Extended Additional
              U"aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm"
              U"mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv"
              U"wwwwwwwwwwxxxxyyzzzzzzhtwyẚſẜẝßẟaaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee"
              U"eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyyỻỻỽỽỿỿ"},
};

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  std::u32string points;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80            ? 1
                               : lead >> 5 == 0b110   ? 2
                               : lead >> 4 == 0b1110  ? 3
                               : lead >> 3 == 0b11110 ? 4
                                                      : 0;
    bool valid = length != 0 && i + length <= text.size();
    char32_t point = length == 1 ? lead : lead & (0x7Fu >> length);
    for (std::size_t k = 1; valid && k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      valid = next >> 6 == 0b10;
      point = point << 6 | (next & 0x3Fu);
    }
    points.push_back(valid ? point : 0xFFFD);
    i += valid ? length : 1;
  }
  return points;
}

std::string encode_utf8(std::u32string_view text) {
  std::string bytes;
  for (char32_t c : text) {
    if (c < 0x80) {
      bytes.push_back(static_cast<char>(c));
      continue;
    }
    const int following = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    const unsigned lead_mark = following == 1 ? 0xC0 : following == 2 ? 0xE0 : 0xF0;
    bytes.push_back(static_cast<char>(lead_mark | c >> (6 * following)));
    for (int shift = 6 * (following - 1); shift >= 0; shift -= 6) {
      bytes.push_back(static_cast<char>(0x80 | (c >> shift & 0x3F)));
    }
  }
  return bytes;
}

bool is_whitespace(char32_t c) {
  return contains(kWhitespace, c);
}
bool is_control(char32_t c) {
  return contains(kControl, c);
}
bool is_punctuation(char32_t c) {
  return contains(kPunctuation, c);
}
bool is_ideograph(char32_t c) {
  return contains(kIdeographs, c);
}
bool is_combining_mark(char32_t c) {
  return 0x300 <= c && c <= 0x36F;
}

char32_t fold(char32_t c) {
  if (c < 0x80) {
    return 'A' <= c && c <= 'Z' ? c + ('a' - 'A') : c;
  }
  for (const FoldTable& table : kFold) {
    if (table.first <= c && c < table.first + table.folded.size()) {
      return table.folded[c - table.first];
    }
  }
  return c;
}

}  // namespace minilm
