#include "engine/compile/source_tokens.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace tilescope {
namespace {

// Not those of <cctype>: every file of a kernel is read before each compilation, cached ones too.
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<SourceToken> read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        line_begins_ = true;
        ++at_;
      } else if (is_blank(c) || skip_continuation()) {
        at_ += is_blank(c) ? 1 : 0;
      } else if (opens_comment(at_, '/')) {
        at_ = end_of_line(at_);
      } else if (opens_comment(at_, '*')) {
        at_ = after(text_.find("*/", at_ + 2), 2);
      } else if (c == '#' && line_begins_) {
        take(SourceToken::Kind::directive, end_of_line(at_));
      } else {
        line_begins_ = false;
        take_token(c);
      }
    }
    return std::move(tokens_);
  }

 private:
  size_t after(size_t found, size_t length) const {
    return found == std::string_view::npos ? text_.size() : found + length;
  }

  /// "//" or "/*".
  bool opens_comment(size_t at, char second) const {
    return text_[at] == '/' && at + 1 < text_.size() && text_[at + 1] == second;
  }

  bool skip_continuation() {
    if (text_[at_] != '\\') return false;
    ++at_;
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_;
    return true;
  }

  /// The end of the line that contains `from`, including continuation lines; a multi-line comment counts as one line.
  size_t end_of_line(size_t from) const {
    for (size_t i = from; i < text_.size(); ++i) {
      if (text_[i] == '\n') {
        const size_t last = text_[i - 1] == '\r' ? i - 2 : i - 1;
        if (i == from || text_[last] != '\\') return i;
      } else if (opens_comment(i, '*') && text_[from] == '#') {
        i = after(text_.find("*/", i + 2), 2) - 1;
      } else if (opens_comment(i, '/') && text_[from] == '#') {
        return end_of_line(i);
      }
    }
    return text_.size();
  }

  void take(SourceToken::Kind kind, size_t end) {
    tokens_.push_back({kind, text_.substr(at_, end - at_), at_});
    at_ = end;
  }

  void take_token(char c) {
    if (is_letter(c)) return take_name();
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return take_number();
    if (c == '"' || c == '\'') return take(SourceToken::Kind::string, end_of_quoted(at_));
    constexpr std::array<std::string_view, 5> kLong{"<<<", ">>>", "::", "->", "=="};
    for (const std::string_view symbol : kLong)
      if (c == symbol.front() && text_.substr(at_).starts_with(symbol))
        return take(SourceToken::Kind::punctuation, at_ + symbol.size());
    take(SourceToken::Kind::punctuation, at_ + 1);
  }

  void take_name() {
    size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    if (end < text_.size() && text_[end] == '"' && name.ends_with('R') && name.size() <= 3)
      return take(SourceToken::Kind::string, end_of_raw(end));
    if (end < text_.size() && (text_[end] == '"' || text_[end] == '\'') && name.size() <= 2 &&
        (name == "L" || name == "u" || name == "U" || name == "u8"))
      return take(SourceToken::Kind::string, end_of_quoted(end));
    take(SourceToken::Kind::name, end);
  }

  void take_number() {
    size_t end = at_;
    while (end < text_.size()) {
      const char c = text_[end];
      const bool exponent_sign = (c == '+' || c == '-') && end > at_ &&
                                 std::string_view("eEpP").find(text_[end - 1]) != std::string_view::npos;
      const bool separator = c == '\'' && end + 1 < text_.size() && text_[end + 1] != '_' && text_[end + 1] != '$' &&
                             (is_letter(text_[end + 1]) || is_digit(text_[end + 1]));
      if (!is_letter(c) && !is_digit(c) && c != '.' && !separator && !exponent_sign) break;
      ++end;
    }
    take(SourceToken::Kind::number, end);
  }

  size_t end_of_quoted(size_t quote) const {
    for (size_t i = quote + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == text_[quote]) {
        return i + 1;
      } else if (text_[i] == '\n') {
        return i;
      }
    }
    return text_.size();
  }

  size_t end_of_raw(size_t quote) const {
    const size_t open = text_.find('(', quote);
    if (open == std::string_view::npos) return text_.size();
    const std::string closing = ")" + std::string(text_.substr(quote + 1, open - quote - 1)) + "\"";
    return after(text_.find(closing, open), closing.size());
  }

  std::string_view text_;
  size_t at_ = 0;
  bool line_begins_ = true;
  std::vector<SourceToken> tokens_;
};

}  // namespace

std::vector<SourceToken> source_tokens(std::string_view text) { return Reader(text).read(); }

std::string_view directive_name(const SourceToken& token) {
  if (token.kind != SourceToken::Kind::directive) return {};
  const auto begin = std::find_if(token.text.begin() + 1, token.text.end(), is_letter);
  return {begin, std::find_if_not(begin, token.text.end(), is_letter)};
}

std::string_view directive_rest(const SourceToken& token) {
  const std::string_view name = directive_name(token);
  if (name.empty()) return {};
  std::string_view rest = token.text.substr(static_cast<size_t>(name.data() + name.size() - token.text.data()));
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  while (!rest.empty() && is_blank(rest.back())) rest.remove_suffix(1);
  return rest;
}

}  // namespace tilescope
