#include "app/sandbox/reading/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "engine/numbers.hpp"
#include "engine/text.hpp"

namespace tilescope {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// A recursive descent parser; the first Problem ends it.
class Reader {
 public:
  Reader(std::string_view text, const NameLookup& lookup) : text_(text), lookup_(lookup) {}

  Checked<long double> read() {
    skip_blanks();
    if (at_ == text_.size()) return wrong("sandbox.empty_field");
    auto value = shifted();
    if (value && at_ < text_.size()) return unexpected();
    if (value && !std::isfinite(*value)) return wrong("sandbox.no_number", {{"text", std::string(text_)}});
    return value;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char wanted) {
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    skip_blanks();
    return true;
  }
  tl::unexpected<Problem> unexpected() const {
    if (at_ >= text_.size()) return wrong("sandbox.breaks_off", {{"text", std::string(text_)}});
    return wrong("sandbox.not_understood", {{"text", std::string(text_)}, {"rest", std::string(text_.substr(at_))}});
  }

  /// 1 << 20, with C++'s precedence: lower than a sum.
  Checked<long double> shifted() {
    auto value = sum();
    while (value && (text_.substr(at_).starts_with("<<") || text_.substr(at_).starts_with(">>"))) {
      const bool up = text_[at_] == '<';
      at_ += 2;
      skip_blanks();
      auto by = sum();
      if (!by) return by;
      if (!std::isfinite(*by)) return wrong("sandbox.no_number", {{"text", std::string(text_)}});
      const long double scaled = std::ldexp(*value, static_cast<int>(std::clamp(up ? *by : -*by, -64.0L, 64.0L)));
      *value = up ? scaled : std::floor(scaled);
    }
    return value;
  }

  Checked<long double> sum() {
    auto value = product();
    while (value && at_ < text_.size()) {
      const bool plus = text_[at_] == '+';
      if (!take('+') && !take('-')) break;
      auto next = product();
      if (!next) return next;
      *value += plus ? *next : -*next;
    }
    return value;
  }

  Checked<long double> product() {
    auto value = power();
    while (value && at_ < text_.size()) {
      const char sign = text_[at_];
      if (!take('*') && !take('/') && !take('%')) break;
      auto next = power();
      if (!next) return next;
      if (sign != '*' && *next == 0) return wrong("sandbox.division_by_zero", {{"text", std::string(text_)}});
      *value = sign == '*' ? *value * *next : sign == '/' ? *value / *next : std::fmod(*value, *next);
    }
    return value;
  }

  /// Brackets, signs and powers nest; real expressions never this deep.
  Checked<long double> power() {
    if (++depth_ > 64) return unexpected();
    auto value = power_within_depth();
    --depth_;
    return value;
  }
  Checked<long double> power_within_depth() {
    if (take('-')) {
      auto value = power();
      if (value) *value = -*value;
      return value;
    }
    take('+');
    auto value = primary();
    if (!value || !take('^')) return value;
    auto exponent = power();
    if (!exponent) return exponent;
    return std::pow(*value, *exponent);
  }

  Checked<long double> primary() {
    if (at_ >= text_.size()) return unexpected();
    if (take('(')) {
      auto value = shifted();
      if (value && !take(')')) return unexpected();
      return value;
    }
    if (is_digit(text_[at_]) || text_[at_] == '.') return number();
    if (!is_letter(text_[at_])) return unexpected();
    const size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    skip_blanks();
    if (take('(')) return call(name, begin);
    auto value = lookup_(name);
    if (value) return *value;
    return wrong("sandbox.unknown_name", {{"name", std::string(name)}});
  }

  Checked<long double> number() {
    const size_t begin = at_;
    long double value = 0;
    if (text_.substr(at_).starts_with("0x") || text_.substr(at_).starts_with("0X")) {
      uint64_t bits = 0;
      const auto [end, problem] = std::from_chars(text_.data() + at_ + 2, text_.data() + text_.size(), bits, 16);
      if (problem != std::errc() || end == text_.data() + at_ + 2) return unexpected();
      at_ = static_cast<size_t>(end - text_.data());
      value = static_cast<long double>(bits);
    } else {
      const auto [end, problem] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), value, std::chars_format::general);
      if (problem != std::errc()) return unexpected();
      at_ = static_cast<size_t>(end - text_.data());
      value *= suffix();
    }
    if (at_ < text_.size() && is_letter(text_[at_])) {
      at_ = begin;
      return unexpected();
    }
    skip_blanks();
    return value;
  }

  /// 64k, 2M, 1.5f: a letter that belongs to the number.
  long double suffix() {
    const bool last = at_ + 1 >= text_.size() || (!is_letter(text_[at_ + 1]) && !is_digit(text_[at_ + 1]));
    if (at_ >= text_.size() || !last) return 1;
    switch (text_[at_]) {
      case 'k':
        ++at_;
        return 1e3L;
      case 'M':
        ++at_;
        return 1e6L;
      case 'G':
        ++at_;
        return 1e9L;
      case 'f':
      case 'F':
        ++at_;
        return 1;
      default:
        return 1;
    }
  }

  Checked<long double> call(std::string_view name, size_t begin) {
    std::vector<long double> given;
    do {
      auto value = shifted();
      if (!value) return value;
      given.push_back(*value);
    } while (take(','));
    if (!take(')')) return unexpected();
    if (given.size() == 1) {
      if (name == "ceil") return std::ceil(given[0]);
      if (name == "floor") return std::floor(given[0]);
      if (name == "round") return std::round(given[0]);
      if (name == "sqrt") return std::sqrt(given[0]);
      if (name == "log2") return std::log2(given[0]);
    }
    if (given.size() == 2) {
      if (name == "min") return std::min(given[0], given[1]);
      if (name == "max") return std::max(given[0], given[1]);
    }
    at_ = begin;
    return wrong("sandbox.unknown_function", {{"name", std::string(name)}});
  }

  std::string_view text_;
  const NameLookup& lookup_;
  size_t at_ = 0;
  int depth_ = 0;
};

/// Whether a lone "x", or a sign ×, at this position means "by". Sets its length in bytes.
bool is_by(std::string_view text, size_t at, size_t& length) {
  constexpr std::string_view kTimes = "×";
  if (text.substr(at).starts_with(kTimes)) {
    length = kTimes.size();
    return true;
  }
  length = 1;
  if (text[at] != 'x') return false;
  const char before = at > 0 ? text[at - 1] : ' ', after = at + 1 < text.size() ? text[at + 1] : ' ';
  return (before == ' ' && after == ' ') || (is_digit(before) && is_digit(after));
}

std::vector<std::string> split_outside_brackets(std::string_view text, bool also_by) {
  std::vector<std::string> parts(1);
  int depth = 0;
  // 0x10 is a number, not 0 by 10.
  const bool hexadecimal = text.find("0x") != std::string_view::npos;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')') --depth;
    size_t length = 1;
    if (depth == 0 && (text[at] == ',' || (also_by && !hexadecimal && is_by(text, at, length)))) {
      parts.emplace_back();
      at += length;
      continue;
    }
    parts.back() += text[at++];
  }
  for (std::string& part : parts) part = std::string(trimmed(part));
  return parts;
}

}  // namespace

Checked<long double> evaluate(std::string_view text, const NameLookup& lookup) { return Reader(text, lookup).read(); }

Checked<long double> evaluate_whole(std::string_view text, const NameLookup& lookup, long double low,
                                    long double high) {
  auto value = evaluate(text, lookup);
  if (!value) return value;
  if (*value != std::floor(*value)) {
    const bool divides = text.find('/') != std::string_view::npos;
    return wrong(divides ? "sandbox.not_whole_rounded" : "sandbox.not_whole",
                 {{"text", std::string(trimmed(text))}, {"value", value_as_text(*value)}});
  }
  if (*value < low) return wrong("sandbox.too_small", {{"value", value_as_text(*value)}, {"low", value_as_text(low)}});
  if (*value > high)
    return wrong("sandbox.too_large", {{"value", value_as_text(*value)}, {"high", value_as_text(high)}});
  return value;
}

std::vector<std::string> split_extents(std::string_view text) { return split_outside_brackets(text, true); }
std::vector<std::string> split_at_commas(std::string_view text) { return split_outside_brackets(text, false); }

std::string value_as_text(long double value) {
  if (value == std::floor(value) && std::fabs(value) < 9e18L) return with_separators(static_cast<int64_t>(value));
  return fmt::format("{:.6g}", static_cast<double>(value));
}

}  // namespace tilescope
