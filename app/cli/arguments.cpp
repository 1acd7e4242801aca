#include "app/cli/arguments.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <type_traits>

namespace tilescope {
namespace {

constexpr int64_t kLargestCount = int64_t{1} << 40;

std::vector<std::string> split(const std::string& text, char separator, size_t most) {
  std::vector<std::string> parts;
  size_t from = 0;
  while (parts.size() + 1 < most) {
    const size_t at = text.find(separator, from);
    if (at == std::string::npos) break;
    parts.push_back(text.substr(from, at - from));
    from = at + 1;
  }
  parts.push_back(text.substr(from));
  return parts;
}

template <class T>
std::optional<T> parse_whole(const std::string& text) {
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class T>
Result<Argument> parse_scalar(const std::string& spec, const std::string& value) {
  const auto parsed = parse_whole<T>(value);
  if (!parsed) return fail(ErrorId::bad_argument, spec, fmt::format("'{}' is not a value of that type", value));
  ScalarArgument argument = scalar(*parsed);
  argument.text = spec;
  return Argument{argument};
}

std::optional<Fill> fill_from(const std::string& name) {
  constexpr std::array<std::pair<const char*, Fill>, 6> fills{{{"zero", Fill::zero},
                                                               {"ones", Fill::ones},
                                                               {"iota", Fill::iota},
                                                               {"normal", Fill::normal},
                                                               {"uniform", Fill::uniform},
                                                               {"poison", Fill::poison}}};
  for (const auto& [text, fill] : fills)
    if (name == text) return fill;
  return std::nullopt;
}

Result<BufferSpec> parse_buffer(const std::string& spec, size_t position) {
  const auto parts = split(spec, ':', 5);
  if (parts.size() < 4) return fail(ErrorId::bad_argument, spec, "a buffer is buf:TYPE:COUNT:INIT[:NAME]");
  BufferSpec buffer;
  const auto type = dtype_from(parts[1]);
  if (!type) return fail(ErrorId::bad_argument, spec, fmt::format("there is no element type '{}'", parts[1]));
  buffer.type = *type;
  const auto count = parse_whole<int64_t>(parts[2]);
  if (!count || *count < 1 || *count > kLargestCount)
    return fail(ErrorId::bad_argument, spec, fmt::format("the count '{}' is not a number from 1 to 2^40", parts[2]));
  buffer.shape = {*count};
  if (parts[3].starts_with("@")) {
    buffer.fill = Fill::file;
    buffer.file = parts[3].substr(1);
  } else if (const auto fill = fill_from(parts[3])) {
    buffer.fill = *fill;
  } else {
    return fail(ErrorId::bad_argument, spec, fmt::format("there is no initial content '{}'", parts[3]));
  }
  // What a kernel does with an unknown buffer is not declared; only a poisoned one is surely an output.
  buffer.role = buffer.fill == Fill::poison ? Role::output : Role::inout;
  buffer.name = parts.size() == 5 && !parts[4].empty() ? parts[4] : fmt::format("arg{}", position);
  return buffer;
}

}  // namespace

Result<Assignment> parse_assignment(const std::string& text) {
  const size_t at = text.find('=');
  if (at == std::string::npos || at == 0) return fail(ErrorId::usage, fmt::format("'{}' is not NAME=VALUE", text));
  return Assignment{text.substr(0, at), text.substr(at + 1)};
}

Result<int64_t> parse_integer(const std::string& name, const std::string& text) {
  if (text.starts_with("2^")) {
    const auto exponent = parse_whole<int>(text.substr(2));
    if (exponent && *exponent >= 0 && *exponent < 63) return int64_t{1} << *exponent;
  } else if (const auto value = parse_whole<int64_t>(text)) {
    return *value;
  }
  return fail(ErrorId::usage, fmt::format("{} = '{}' is not a whole number", name, text));
}

Result<Dim3> parse_extent(const std::string& name, const std::string& text) {
  const auto parts = split(text, ',', 4);
  std::array<uint32_t, 3> extent{1, 1, 1};
  if (parts.size() > 3) return fail(ErrorId::usage, fmt::format("--{} takes at most three numbers, X,Y,Z", name));
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto value = parse_whole<uint32_t>(parts[i]);
    if (!value) return fail(ErrorId::usage, fmt::format("--{} '{}' is not X, X,Y or X,Y,Z", name, text));
    if (*value == 0) return fail(ErrorId::bad_launch, name, text, "every extent must be at least 1");
    extent[i] = *value;
  }
  return Dim3{extent[0], extent[1], extent[2]};
}

Result<std::vector<Argument>> parse_arguments(const std::vector<std::string>& specs, std::vector<BufferSpec>& buffers) {
  std::vector<Argument> arguments;
  for (size_t i = 0; i < specs.size(); ++i) {
    const std::string& spec = specs[i];
    const auto parts = split(spec, ':', 2);
    Result<Argument> argument = fail(ErrorId::bad_argument, spec, "it has no type");
    if (parts.size() == 2 && parts[0] == "f32")
      argument = parse_scalar<float>(spec, parts[1]);
    else if (parts.size() == 2 && parts[0] == "f64")
      argument = parse_scalar<double>(spec, parts[1]);
    else if (parts.size() == 2 && parts[0] == "i32")
      argument = parse_scalar<int32_t>(spec, parts[1]);
    else if (parts.size() == 2 && parts[0] == "u32")
      argument = parse_scalar<uint32_t>(spec, parts[1]);
    else if (parts.size() == 2 && parts[0] == "i64")
      argument = parse_scalar<int64_t>(spec, parts[1]);
    else if (parts.size() == 2 && parts[0] == "u64")
      argument = parse_scalar<uint64_t>(spec, parts[1]);
    else if (parts.size() == 2 && parts[0] == "buf") {
      auto buffer = parse_buffer(spec, i);
      if (!buffer) return tl::unexpected<Error>(buffer.error());
      buffers.push_back(std::move(*buffer));
      argument = Argument{BufferArgument{buffers.size() - 1}};
    }
    if (!argument) return tl::unexpected<Error>(argument.error());
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}

}  // namespace tilescope
