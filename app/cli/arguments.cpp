#include "app/cli/arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

namespace tilescope {
namespace {

/// "00ff7f" → its bytes; nothing for anything else.
std::optional<std::vector<std::byte>> parse_hexadecimal(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::vector<std::byte> bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    uint8_t value = 0;
    const auto [end, problem] = std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
    if (problem != std::errc() || end != text.data() + i + 2) return std::nullopt;
    bytes.push_back(std::byte{value});
  }
  if (text.empty() || text.size() % 2 != 0) return std::nullopt;
  return bytes;
}

Result<ScalarArgument> parse_bytes(const std::string& spec, const std::string& content) {
  ScalarArgument argument;
  argument.text = spec;
  if (content.starts_with("@")) {
    std::ifstream file(content.substr(1), std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
      return fail(ErrorId::file_not_found, content.substr(1), "it is not there, or empty");
    const std::string read = text.str();
    const auto* raw = reinterpret_cast<const std::byte*>(read.data());
    argument.bytes.assign(raw, raw + read.size());
    return argument;
  }
  auto bytes = parse_hexadecimal(content);
  if (!bytes) return fail(ErrorId::bad_argument, spec, "bytes are pairs of hexadecimal digits, or @file.bin");
  argument.bytes = std::move(*bytes);
  return argument;
}

/// The specs of one kernel. Buffers are gathered first, so that a pointer may name one that a later argument declares.
class ArgumentReader {
 public:
  explicit ArgumentReader(std::vector<BufferSpec>& buffers) : buffers_(buffers), next_(buffers.size()) {}

  Result<std::vector<Argument>> read(const std::vector<std::string>& specs) {
    for (size_t i = 0; i < specs.size(); ++i)
      if (auto gathered = gather(specs[i], fmt::format("arg{}", i)); !gathered)
        return tl::unexpected<Error>(gathered.error());
    std::vector<Argument> arguments;
    for (const std::string& spec : specs) {
      auto argument = read_one(spec, spec);
      if (!argument) return tl::unexpected<Error>(argument.error());
      arguments.push_back(std::move(*argument));
    }
    return arguments;
  }

 private:
  Result<void> gather(const std::string& spec, const std::string& usual_name) {
    if (spec.starts_with("struct:")) {
      size_t member = 0;
      for (const std::string& one : split(spec.substr(7), ';', std::numeric_limits<size_t>::max()))
        if (auto gathered = gather(one, fmt::format("{}.{}", usual_name, member++)); !gathered) return gathered;
      return {};
    }
    if (!spec.starts_with("buf:")) return {};
    auto buffer = parse_buffer(spec);
    if (!buffer) return tl::unexpected<Error>(buffer.error());
    if (buffer->name.empty()) buffer->name = usual_name;
    for (const BufferSpec& other : buffers_)
      if (other.name == buffer->name)
        return fail(ErrorId::bad_argument, spec,
                    phrase("two buffers are called '{}'; to pass one twice, use ptr:{}", other.name, other.name));
    buffers_.push_back(std::move(*buffer));
    return {};
  }

  /// `whole` is the argument that `spec` is, or is a member of.
  Result<Argument> read_one(const std::string& spec, const std::string& whole) {
    const auto parts = split(spec, ':', 2);
    if (spec == "null" || spec == "nullptr") {
      ScalarArgument null = scalar(uint64_t{0});
      null.text = spec;
      null.number = ScalarArgument::Number::unknown;
      return Argument{null};
    }
    if (parts.size() < 2) return fail(ErrorId::bad_argument, whole, phrase("'{}' is not TYPE:VALUE", spec));
    if (parts[0] == "buf") return Argument{BufferArgument{next_++}};
    if (parts[0] == "ptr") return read_pointer(spec, parts[1]);
    if (parts[0] == "struct") return read_struct(spec, parts[1]);
    auto scalar_argument = parts[0] == "bytes" ? parse_bytes(whole, parts[1]) : parse_scalar(whole, parts[0], parts[1]);
    if (!scalar_argument) return tl::unexpected<Error>(scalar_argument.error());
    return Argument{std::move(*scalar_argument)};
  }

  Result<Argument> read_pointer(const std::string& spec, const std::string& text) {
    BufferArgument pointer{};
    std::string names;
    size_t sign = text.find_last_of("+-");
    for (const BufferSpec& buffer : buffers_)
      if (buffer.name == text) sign = std::string::npos;
    const std::string name = text.substr(0, sign);
    for (const BufferSpec& buffer : buffers_) {
      names += (names.empty() ? "" : ", ") + buffer.name;
      if (buffer.name != name) {
        ++pointer.buffer;
        continue;
      }
      if (sign == std::string::npos) return Argument{pointer};
      const auto offset = parse_whole<int64_t>(std::string_view(text).substr(text[sign] == '+' ? sign + 1 : sign));
      if (!offset) return fail(ErrorId::bad_argument, spec, phrase("'{}' is not a number of bytes", text.substr(sign)));
      pointer.offset_bytes = *offset;
      return Argument{pointer};
    }
    return fail(ErrorId::bad_argument, spec,
                names.empty() ? phrase("there is no buffer '{}'; there is none", name)
                              : phrase("there is no buffer '{}'; there are {}", name, names));
  }

  /// Members at multiples of their size, as C lays out a struct of fundamental types.
  Result<Argument> read_struct(const std::string& spec, const std::string& members) {
    ScalarArgument whole;
    whole.text = spec;
    size_t alignment = 1;
    const auto pad_to = [&whole](size_t multiple) {
      whole.bytes.resize((whole.bytes.size() + multiple - 1) / multiple * multiple);
    };
    for (const std::string& one : split(members, ';', std::numeric_limits<size_t>::max())) {
      auto member = read_one(one, spec);
      if (!member) return member;
      size_t member_alignment = 8;
      if (const auto* value = std::get_if<ScalarArgument>(&*member); value != nullptr && one != "null") {
        // Of several in a row, each is aligned by itself; bytes say nothing about alignment.
        const auto count = static_cast<size_t>(std::count(one.begin(), one.end(), ',')) + 1;
        member_alignment = one.starts_with("bytes:") ? 1 : value->bytes.size() / count;
      }
      pad_to(member_alignment);
      alignment = std::max(alignment, member_alignment);
      if (const auto* target = std::get_if<BufferArgument>(&*member)) {
        whole.pointers.push_back({whole.bytes.size(), *target});
        whole.bytes.resize(whole.bytes.size() + sizeof(uint64_t));
      } else {
        const auto& bytes = std::get<ScalarArgument>(*member).bytes;
        whole.bytes.insert(whole.bytes.end(), bytes.begin(), bytes.end());
      }
    }
    pad_to(alignment);
    return Argument{std::move(whole)};
  }

  std::vector<BufferSpec>& buffers_;
  size_t next_;  // the buffer of the next buf: spec
};

/// Largest extents of a launch (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
uint32_t largest_extent(const std::string& name, size_t axis) {
  constexpr std::array<uint32_t, 3> kGrid{0x7fffffff, 65535, 65535}, kBlock{1024, 1024, 64};
  if (name == "grid") return kGrid[axis];
  return name == "block" ? kBlock[axis] : std::numeric_limits<uint32_t>::max();
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator, size_t most) {
  std::vector<std::string> parts;
  while (parts.size() + 1 < most) {
    const size_t at = text.find(separator);
    if (at == std::string_view::npos) break;
    parts.emplace_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.emplace_back(text);
  return parts;
}

Result<Assignment> parse_assignment(const std::string& text) {
  const size_t at = text.find('=');
  if (at == std::string::npos || at == 0) return fail(ErrorId::usage, fmt::format("'{}' is not NAME=VALUE", text));
  return Assignment{text.substr(0, at), text.substr(at + 1)};
}

Result<int64_t> parse_integer(const std::string& name, const std::string& text) {
  if (text.starts_with("2^")) {
    const auto exponent = parse_whole<int>(std::string_view(text).substr(2));
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
    const auto value = parse_whole<uint64_t>(parts[i]);
    if (!value) return fail(ErrorId::usage, fmt::format("--{} '{}' is not X, X,Y or X,Y,Z", name, text));
    const std::string axis = fmt::format("{}.{}", name, "xyz"[i]);
    if (*value == 0) return fail(ErrorId::bad_launch, axis, *value, "it must be at least 1");
    const uint32_t limit = largest_extent(name, i);
    if (*value > limit) return fail(ErrorId::bad_launch, axis, *value, phrase("the limit is {}", limit));
    extent[i] = static_cast<uint32_t>(*value);
  }
  const Dim3 result{extent[0], extent[1], extent[2]};
  if (name == "block" && result.count() > 1024)
    return fail(ErrorId::bad_launch, "threads per block", result.count(), "the limit is 1024");
  return result;
}

Result<std::vector<Argument>> parse_arguments(const std::vector<std::string>& specs, std::vector<BufferSpec>& buffers) {
  return ArgumentReader(buffers).read(specs);
}

}  // namespace tilescope
