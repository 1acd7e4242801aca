#include "engine/host_program/scalar_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "engine/compile/source_tokens.hpp"
#include "engine/compile/type_spelling.hpp"

namespace tilescope {
namespace {

template <class T>
T scalar_value(const ScalarArgument& argument) {
  T value{};
  std::memcpy(&value, argument.bytes.data(), sizeof(T));
  return value;
}

/// Shortest text that gives the same value, with a point or an exponent: "2.0", "1e-05".
std::string floating_text(double value, const std::string& shortest) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  return shortest.find_first_of(".e") == std::string::npos ? shortest + ".0" : shortest;
}

std::string whole_text(const ScalarArgument& argument, bool is_unsigned) {
  switch (argument.bytes.size()) {
    case 1:
      return std::to_string(is_unsigned ? int{scalar_value<uint8_t>(argument)} : int{scalar_value<int8_t>(argument)});
    case 2:
      return std::to_string(is_unsigned ? int{scalar_value<uint16_t>(argument)} : int{scalar_value<int16_t>(argument)});
    case 4:
      return is_unsigned ? std::to_string(scalar_value<uint32_t>(argument))
                         : std::to_string(scalar_value<int32_t>(argument));
    default:
      return is_unsigned ? std::to_string(scalar_value<uint64_t>(argument))
                         : std::to_string(scalar_value<int64_t>(argument));
  }
}

/// Bytes; 0 for a type that is not fundamental.
size_t size_of_fundamental(const std::string& canonical) {
  std::string_view type = canonical;
  if (type.starts_with("unsigned ")) type.remove_prefix(9);
  if (type.starts_with("signed ")) type.remove_prefix(7);
  if (type == "bool" || type == "char") return 1;
  if (type == "short") return 2;
  if (type == "int" || type == "float") return 4;
  return type == "long" || type == "long long" || type == "double" ? 8 : 0;
}

bool is_number(const ScalarArgument& argument) {
  const size_t size = argument.bytes.size();
  return argument.pointers.empty() && (size == 1 || size == 2 || size == 4 || size == 8);
}

}  // namespace

std::optional<std::string> cuda_literal(const ScalarArgument& argument, const std::string& type) {
  if (argument.text == "null") return "nullptr";
  if (!is_number(argument)) return std::nullopt;
  const std::string canonical = canonical_type(type);
  const size_t size = argument.bytes.size();
  if (canonical == "float" && size == sizeof(float)) {
    const auto value = scalar_value<float>(argument);
    const std::string text = floating_text(value, fmt::format("{}", value));
    return std::isfinite(value) ? text + "f" : text;
  }
  if (canonical == "double" && size == sizeof(double))
    return floating_text(scalar_value<double>(argument), fmt::format("{}", scalar_value<double>(argument)));
  if (canonical == "bool") return scalar_value<uint8_t>(argument) != 0 ? "true" : "false";
  if (canonical == "__half" || canonical == "__nv_bfloat16" || argument.number == ScalarArgument::Number::floating)
    return std::nullopt;
  const bool is_unsigned = canonical.starts_with("unsigned");
  std::string text = whole_text(argument, is_unsigned);
  if (is_unsigned && size >= 4) text += "u";
  if (size == 8) text += "ll";
  return text;
}

std::optional<std::string> struct_literal(const ScalarArgument& argument, const std::string& type,
                                          const std::string& text) {
  const std::vector<SourceToken> tokens = source_tokens(text);
  const std::string name = canonical_type(type.starts_with("const ") ? type.substr(6) : type);
  size_t at = 0;
  while (at + 2 < tokens.size() && !(tokens[at].is("struct") && tokens[at + 1].is(name) && tokens[at + 2].is("{")))
    ++at;
  std::string literal, member_type;
  size_t offset = 0;
  for (at += 3; at < tokens.size() && !tokens[at].is("}"); ++at) {
    if (tokens[at].is("const")) continue;
    if (at + 1 >= tokens.size()) return std::nullopt;
    const SourceToken& next = tokens[at + 1];
    if (!next.is(",") && !next.is(";")) {  // a word of the type
      if (tokens[at].kind != SourceToken::Kind::name) return std::nullopt;
      member_type += (member_type.empty() ? "" : " ") + std::string(tokens[at].text);
      continue;
    }
    const size_t size = size_of_fundamental(canonical_type(member_type));
    if (size == 0) return std::nullopt;
    offset = (offset + size - 1) / size * size;
    if (offset + size > argument.bytes.size()) return std::nullopt;
    ScalarArgument member{.bytes = {argument.bytes.begin() + static_cast<ptrdiff_t>(offset),
                                    argument.bytes.begin() + static_cast<ptrdiff_t>(offset + size)}};
    const auto value = cuda_literal(member, member_type);
    if (!value) return std::nullopt;
    literal += (literal.empty() ? "" : ", ") + *value;
    offset += size;
    if (next.is(";")) member_type.clear();
    ++at;
  }
  return literal.empty() ? std::nullopt : std::optional("{" + literal + "}");
}

std::optional<std::string> python_literal(const ScalarArgument& argument) {
  if (argument.text == "null") return "None";
  if (!is_number(argument)) return std::nullopt;
  if (argument.number != ScalarArgument::Number::floating) return whole_text(argument, false);
  const size_t size = argument.bytes.size();
  if (size < sizeof(float)) return std::nullopt;
  const double value = size == sizeof(float) ? double{scalar_value<float>(argument)} : scalar_value<double>(argument);
  if (!std::isfinite(value)) return fmt::format("float('{}')", value);
  return floating_text(value, fmt::format("{}", value));
}

ParameterParts parts_of_parameter(const std::string& parameter) {
  const std::vector<SourceToken> tokens = source_tokens(parameter);
  ParameterParts parts;
  size_t count = tokens.size();
  const bool named = count > 1 && tokens.back().kind == SourceToken::Kind::name && !tokens[count - 2].is("::") &&
                     !tokens.back().is("const") && !tokens.back().is("int") && !tokens.back().is("__restrict__");
  if (named) parts.name = std::string(tokens[--count].text);
  for (size_t i = 0; i < count; ++i) {
    if (tokens[i].is("__restrict__") || tokens[i].is("__restrict")) continue;
    const bool joined = tokens[i].is("*") || tokens[i].is("::") || (i > 0 && tokens[i - 1].is("::"));
    if (!parts.type.empty() && !joined) parts.type += ' ';
    parts.type += tokens[i].text;
  }
  return parts;
}

}  // namespace tilescope
