#include "engine/sim/ptx/lexer.hpp"

#include <bit>
#include <cstdlib>
#include <string>

namespace tilescope {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool starts_word(char c) { return is_letter(c) || c == '_' || c == '$' || c == '%' || c == '.'; }
bool continues_word(char c) { return starts_word(c) || is_digit(c); }

/// The value of a digit in bases up to 16, or 16 if it is not a digit.
uint32_t digit_value(char c) {
  if (is_digit(c)) return static_cast<uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<uint32_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<uint32_t>(c - 'A' + 10);
  return 16;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<PtxToken> run() {
    std::vector<PtxToken> tokens;
    tokens.reserve(text_.size() / 6 + 1);
    do tokens.push_back(next());
    while (tokens.back().kind != PtxTokenKind::end);
    return tokens;
  }

 private:
  char at(size_t offset) const { return position_ + offset < text_.size() ? text_[position_ + offset] : '\0'; }

  void skip_blank() {
    while (position_ < text_.size()) {
      const char c = at(0);
      if (c == '\n') ++line_;
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0') {
        ++position_;
      } else if (c == '/' && at(1) == '/') {
        while (position_ < text_.size() && at(0) != '\n') ++position_;
      } else if (c == '/' && at(1) == '*') {
        const size_t end = text_.find("*/", position_ + 2);
        const size_t stop = end == std::string_view::npos ? text_.size() : end + 2;
        for (; position_ < stop; ++position_)
          if (at(0) == '\n') ++line_;
      } else {
        return;
      }
    }
  }

  PtxToken take(PtxTokenKind kind, size_t length, uint64_t bits = 0) {
    const PtxToken token{kind, text_.substr(position_, length), line_, bits};
    position_ += token.text.size();
    return token;
  }

  PtxToken next() {
    skip_blank();
    if (position_ >= text_.size()) return {PtxTokenKind::end, {}, line_, 0};
    const char c = at(0);
    if (is_digit(c) || (c == '.' && is_digit(at(1)))) return number();
    if (starts_word(c)) return word();
    if (c == '"') return string();
    if (std::string_view("{}[]()<>,;:@!|+-=*/&~^?").find(c) != std::string_view::npos)
      return take(PtxTokenKind::punctuation, 1);
    return take(PtxTokenKind::bad, 1);
  }

  PtxToken word() {
    size_t length = 1;
    if (at(0) == '.') {  // a directive: ".reg.b32" is two directives
      while (continues_word(at(length)) && at(length) != '.') ++length;
      return take(PtxTokenKind::word, length);
    }
    while (continues_word(at(length)) || (at(length) == ':' && at(length + 1) == ':' && continues_word(at(length + 2))))
      length += at(length) == ':' ? 2 : 1;
    return take(PtxTokenKind::word, length);
  }

  PtxToken string() {
    size_t length = 1;
    while (position_ + length < text_.size() && at(length) != '"' && at(length) != '\n') ++length;
    if (at(length) != '"') return take(PtxTokenKind::bad, length);
    PtxToken token = take(PtxTokenKind::string, length + 1);
    token.text = token.text.substr(1, length - 1);
    return token;
  }

  PtxToken number() {
    if (at(0) == '0' && (at(1) == 'f' || at(1) == 'F')) return hexadecimal_float(PtxTokenKind::float32, 8);
    if (at(0) == '0' && (at(1) == 'd' || at(1) == 'D')) return hexadecimal_float(PtxTokenKind::float64, 16);
    if (at(0) == '0' && (at(1) == 'x' || at(1) == 'X')) return integer(16, 2);
    if (at(0) == '0' && (at(1) == 'b' || at(1) == 'B')) return integer(2, 2);
    size_t length = 0;
    bool fraction = false;
    while (is_digit(at(length))) ++length;
    if (at(length) == '.' && !is_letter(at(length + 1))) fraction = true;
    if (at(length) == 'e' || at(length) == 'E') fraction = true;
    if (fraction) return decimal_float();
    return integer(at(0) == '0' && length > 1 ? 8 : 10, at(0) == '0' && length > 1 ? 1 : 0);
  }

  PtxToken hexadecimal_float(PtxTokenKind kind, size_t digits) {
    uint64_t bits = 0;
    for (size_t i = 0; i < digits; ++i) {
      const uint32_t value = digit_value(at(2 + i));
      if (value > 15) return take(PtxTokenKind::bad, 2 + i);
      bits = bits << 4 | value;
    }
    return take(kind, 2 + digits, bits);
  }

  PtxToken integer(uint32_t base, size_t prefix) {
    size_t length = prefix;
    uint64_t value = 0;
    bool overflow = false;
    while (digit_value(at(length)) < base) {
      const uint32_t digit = digit_value(at(length++));
      if (value > (~uint64_t{0} - digit) / base) overflow = true;
      value = value * base + digit;
    }
    const bool empty = length == prefix && prefix != 1;
    if (at(length) == 'U') ++length;
    return take(overflow || empty ? PtxTokenKind::bad : PtxTokenKind::integer, length, value);
  }

  PtxToken decimal_float() {
    size_t length = 0;
    while (is_digit(at(length))) ++length;
    if (at(length) == '.') ++length;
    while (is_digit(at(length))) ++length;
    if (at(length) == 'e' || at(length) == 'E') {
      const size_t sign = at(length + 1) == '+' || at(length + 1) == '-' ? 1 : 0;
      if (!is_digit(at(length + 1 + sign))) return take(PtxTokenKind::bad, length + 1 + sign);
      length += 1 + sign;
      while (is_digit(at(length))) ++length;
    }
    const double value = std::strtod(std::string(text_.substr(position_, length)).c_str(), nullptr);
    return take(PtxTokenKind::float64, length, std::bit_cast<uint64_t>(value));
  }

  std::string_view text_;
  size_t position_ = 0;
  uint32_t line_ = 1;
};

}  // namespace

std::vector<PtxToken> lex_ptx(std::string_view text) { return Lexer(text).run(); }

}  // namespace tilescope
