// --arg TYPE:VALUE
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "app/sandbox/form/arguments.hpp"
#include "engine/run/inputs.hpp"

namespace tilescope {
namespace {

using Number = ScalarArgument::Number;

/// Decimal or 0x…, with a sign. The magnitude covers every 64-bit integer.
struct Integer {
  bool negative = false;
  uint64_t magnitude = 0;
};

std::optional<Integer> read_integer(std::string_view text) {
  Integer value;
  if (text.starts_with('-') || text.starts_with('+')) {
    value.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  const auto [end, problem] =
      std::from_chars(text.data(), text.data() + text.size(), value.magnitude, hexadecimal ? 16 : 10);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class T>
std::string range_text() {
  return fmt::format("{} to {}", std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}

template <class T>
void append_scalar(std::vector<std::byte>& bytes, T value) {
  const auto* raw = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof(T));
}

/// An empty string, or why `text` is not a valid integer of this type.
template <class T>
std::string append_integer(std::vector<std::byte>& bytes, std::string_view text) {
  const auto value = read_integer(text);
  if (!value) return fmt::format("'{}' is not a whole number from {}", text, range_text<T>());
  constexpr uint64_t kMost = std::numeric_limits<T>::max();
  constexpr uint64_t kLeast = std::is_signed_v<T> ? kMost + 1 : 0;  // magnitude of the smallest value
  if (value->magnitude > (value->negative ? kLeast : kMost))
    return fmt::format("'{}' is out of range: {}", text, range_text<T>());
  append_scalar(bytes, static_cast<T>(value->negative ? ~value->magnitude + 1 : value->magnitude));
  return {};
}

std::optional<double> read_double(std::string_view text) {
  bool negative = false;
  if (text.starts_with('-') || text.starts_with('+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  auto format = std::chars_format::general;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    format = std::chars_format::hex;
  } else if (text.size() > 1 && (text.back() == 'f' || text.back() == 'F') && text != "inf" && text != "INF") {
    text.remove_suffix(1);  // 2.5f, as in the source
  }
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, format);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  if (problem == std::errc::result_out_of_range) return std::nullopt;
  if (problem != std::errc()) return std::nullopt;
  return negative ? -value : value;
}

std::string append_floating(std::vector<std::byte>& bytes, DType type, std::string_view text) {
  const auto value = read_double(text);
  if (!value) return fmt::format("'{}' is not a number", text);
  HostBuffer element(type, 1);
  store_value(element, 0, *value);
  if (std::isfinite(*value) && !std::isfinite(value_at(element, 0)))
    return fmt::format("'{}' is larger than any {}", text, name_of(type));
  bytes.insert(bytes.end(), element.bytes.begin(), element.bytes.end());
  return {};
}

std::string append_bool(std::vector<std::byte>& bytes, std::string_view text) {
  if (text != "true" && text != "false" && text != "1" && text != "0")
    return fmt::format("'{}' is not true or false", text);
  append_scalar(bytes, static_cast<uint8_t>(text == "true" || text == "1"));
  return {};
}

/// The value of an expression as a literal; nothing if it has none.
std::optional<std::string> evaluate_text(const std::string& text, bool whole, const NameLookup& names) {
  if (parse_whole<double>(text)) return std::nullopt;  // a literal of a different type
  const auto value = evaluate(text, names);
  if (!value || (whole && *value != std::floor(*value))) return std::nullopt;
  return whole ? fmt::format("{:.0f}", *value) : fmt::format("{}", static_cast<double>(*value));
}

using Append = std::string (*)(std::vector<std::byte>& bytes, std::string_view text);
template <DType type>
std::string append_as(std::vector<std::byte>& bytes, std::string_view text) {
  return append_floating(bytes, type, text);
}

struct ScalarType {
  std::string_view name;
  Number number;
  DType type;
  Append append;
};
// Our type names first, then C++'s.
constexpr auto kScalarTypes = std::to_array<ScalarType>({
    {"f16", Number::unknown, DType::f16, append_as<DType::f16>},
    {"bf16", Number::unknown, DType::bf16, append_as<DType::bf16>},
    {"f32", Number::floating, DType::f32, append_as<DType::f32>},
    {"f64", Number::floating, DType::f64, append_as<DType::f64>},
    {"i8", Number::whole, DType::i8, append_integer<int8_t>},
    {"i16", Number::whole, DType::i16, append_integer<int16_t>},
    {"i32", Number::whole, DType::i32, append_integer<int32_t>},
    {"i64", Number::whole, DType::i64, append_integer<int64_t>},
    {"u8", Number::whole, DType::u8, append_integer<uint8_t>},
    {"u16", Number::whole, DType::u16, append_integer<uint16_t>},
    {"u32", Number::whole, DType::u32, append_integer<uint32_t>},
    {"u64", Number::whole, DType::u64, append_integer<uint64_t>},
    {"bool", Number::whole, DType::boolean, append_bool},
    {"half", Number::unknown, DType::f16, append_as<DType::f16>},
    {"float", Number::floating, DType::f32, append_as<DType::f32>},
    {"double", Number::floating, DType::f64, append_as<DType::f64>},
    {"char", Number::whole, DType::i8, append_integer<int8_t>},
    {"short", Number::whole, DType::i16, append_integer<int16_t>},
    {"int", Number::whole, DType::i32, append_integer<int32_t>},
    {"long", Number::whole, DType::i64, append_integer<int64_t>},
    {"unsigned", Number::whole, DType::u32, append_integer<uint32_t>},
    {"uint", Number::whole, DType::u32, append_integer<uint32_t>},
    {"size_t", Number::whole, DType::u64, append_integer<uint64_t>},
});

}  // namespace

Result<ScalarArgument> parse_scalar(const std::string& spec, std::string_view type, std::string_view values,
                                    const NameLookup& names) {
  for (const ScalarType& known : kScalarTypes) {
    if (known.name != type) continue;
    ScalarArgument argument;
    argument.text = spec;
    argument.number = known.number;
    argument.type = known.type;
    const std::vector<std::string> parts = split_at_commas(values);
    for (const std::string& one : parts) {
      const std::string problem = known.append(argument.bytes, one);
      if (problem.empty()) continue;
      const auto value = evaluate_text(one, known.number == Number::whole, names);
      if (!value || !known.append(argument.bytes, *value).empty()) return fail(ErrorId::bad_argument, spec, problem);
    }
    if (parts.size() > 1) {
      argument.number = Number::unknown;
      argument.type.reset();
    }
    return argument;
  }
  const std::string known_types = "f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool";
  return fail(ErrorId::bad_argument, spec, phrase("there is no type '{}'; there are {}", type, known_types));
}

}  // namespace tilescope
