#include "engine/sim/state/device_printf.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>

namespace tilescope {
namespace {

constexpr int32_t kMostArguments = 32;
constexpr int64_t kWidest = 1 << 16;

/// One conversion: %[flags][width][.precision][length]letter.
struct Conversion {
  std::string flags;
  int64_t width = 0, precision = -1;
  bool width_is_argument = false, precision_is_argument = false;
  int bytes = 4;  // for an integer: 1 (hh), 2 (h), 4, 8
  char letter = 0;
  size_t length = 0;  // characters of the format
  int32_t arguments() const { return 1 + (width_is_argument ? 1 : 0) + (precision_is_argument ? 1 : 0); }
};

bool is_one_of(char c, std::string_view characters) {
  return c != '\0' && characters.find(c) != std::string_view::npos;
}

class ConversionParser {
 public:
  explicit ConversionParser(std::string_view text) : text_(text) {}

  /// `text` begins with '%'. Nothing if CUDA does not know the conversion.
  std::optional<Conversion> parse() {
    Conversion conversion;
    while (is_one_of(peek(), "-+ #0")) conversion.flags.push_back(take());
    number(conversion.width, conversion.width_is_argument);
    if (peek() == '.') {
      take();
      conversion.precision = 0;
      number(conversion.precision, conversion.precision_is_argument);
    }
    length(conversion);
    if (!is_one_of(peek(), "diouxXcspeEfFgGaA")) return std::nullopt;
    conversion.letter = take();
    conversion.length = at_;
    return conversion;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char take() { return text_[at_++]; }

  void number(int64_t& value, bool& is_argument) {
    if (peek() == '*') {
      take();
      is_argument = true;
      return;
    }
    while (peek() >= '0' && peek() <= '9') value = std::min(kWidest, value * 10 + (take() - '0'));
  }

  void length(Conversion& conversion) {
    while (is_one_of(peek(), "hlLqjzt")) {
      const char modifier = take();
      if (modifier == 'h')
        conversion.bytes = conversion.bytes == 2 ? 1 : 2;
      else
        conversion.bytes = 8;
    }
  }

  std::string_view text_;
  size_t at_ = 1;
};

class Formatter {
 public:
  Formatter(const ArgumentReader& read_argument, const StringReader& read_string)
      : read_argument_(read_argument), read_string_(read_string) {}

  PrintfResult run(std::string_view format) {
    while (!format.empty()) {
      const size_t percent = std::min(format.find('%'), format.size());
      result_.text.append(format.substr(0, percent));
      format.remove_prefix(percent);
      if (format.empty()) break;
      if (format.starts_with("%%")) {
        result_.text.push_back('%');
        format.remove_prefix(2);
        continue;
      }
      auto conversion = ConversionParser(format).parse();
      if (conversion && result_.arguments + conversion->arguments() <= kMostArguments) {
        convert(*conversion);
        format.remove_prefix(conversion->length);
      } else {
        result_.text.push_back('%');
        format.remove_prefix(1);
      }
    }
    return std::move(result_);
  }

 private:
  /// Arguments are aligned to their own size.
  uint64_t next(uint32_t bytes) {
    offset_ = (offset_ + bytes - 1) / bytes * bytes;
    const uint64_t value = read_argument_(offset_, bytes);
    offset_ += bytes;
    ++result_.arguments;
    return value;
  }
  int64_t next_int() { return static_cast<int32_t>(next(4)); }

  void convert(Conversion& conversion) {
    if (conversion.width_is_argument) {
      conversion.width = std::clamp(next_int(), -kWidest, kWidest);
      if (conversion.width < 0) conversion.flags.push_back('-');
      conversion.width = std::abs(conversion.width);
    }
    if (conversion.precision_is_argument) conversion.precision = std::clamp(next_int(), int64_t{-1}, kWidest);
    switch (conversion.letter) {
      case 'd':
      case 'i':
        return print(conversion, "ll", static_cast<long long>(signed_value(conversion.bytes)));
      case 'o':
      case 'u':
      case 'x':
      case 'X':
        return print(conversion, "ll", static_cast<unsigned long long>(unsigned_value(conversion.bytes)));
      case 'c':
        return print(conversion, "", static_cast<int>(next_int()));
      case 's':
        return string(conversion);
      case 'p':
        // an address in the simulated machine, only printed
        return print(conversion, "", std::bit_cast<void*>(next(8)));
      default:
        return print(conversion, "", std::bit_cast<double>(next(8)));
    }
  }

  int64_t signed_value(int bytes) {
    const uint64_t bits = next(bytes == 8 ? 8 : 4);
    if (bytes == 1) return static_cast<int8_t>(bits);
    if (bytes == 2) return static_cast<int16_t>(bits);
    return bytes == 4 ? static_cast<int32_t>(bits) : static_cast<int64_t>(bits);
  }
  uint64_t unsigned_value(int bytes) {
    const uint64_t bits = next(bytes == 8 ? 8 : 4);
    if (bytes == 1) return static_cast<uint8_t>(bits);
    if (bytes == 2) return static_cast<uint16_t>(bits);
    return bytes == 4 ? static_cast<uint32_t>(bits) : bits;
  }

  void string(Conversion& conversion) {
    const uint64_t address = next(8);
    std::optional<std::string> text = "(null)";
    if (address != 0) {
      const uint64_t most = conversion.precision >= 0 ? static_cast<uint64_t>(conversion.precision) : kMostOutput;
      text = read_string_(address, most);
      if (!text) result_.bad_string = address;
    }
    print(conversion, "", text.value_or("(no string)").c_str());
  }

  template <class T>
  void print(const Conversion& conversion, std::string_view length, T value) {
    std::string specification = "%" + conversion.flags;
    if (conversion.width > 0) specification += std::to_string(conversion.width);
    if (conversion.precision >= 0) specification += "." + std::to_string(conversion.precision);
    specification += length;
    specification.push_back(conversion.letter);
    const int size = std::snprintf(nullptr, 0, specification.c_str(), value);  // NOLINT(cert-err33-c)
    if (size <= 0) return;
    const size_t begin = result_.text.size();
    result_.text.resize(begin + static_cast<size_t>(size) + 1);
    std::snprintf(result_.text.data() + begin, static_cast<size_t>(size) + 1, specification.c_str(), value);
    result_.text.resize(begin + static_cast<size_t>(size));
  }

  const ArgumentReader& read_argument_;
  const StringReader& read_string_;
  uint64_t offset_ = 0;
  PrintfResult result_;
};

}  // namespace

PrintfResult format_printf(std::string_view format, const ArgumentReader& read_argument,
                           const StringReader& read_string) {
  return Formatter(read_argument, read_string).run(format);
}

}  // namespace tilescope
