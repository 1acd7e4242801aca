#include "app/sandbox/form/arguments.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>

#include "engine/text_file.hpp"

namespace tilescope {
namespace {

/// "00ff7f" → its bytes; nothing for other texts.
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
    const auto read = read_text(content.substr(1));
    if (!read || read->empty()) return fail(ErrorId::file_not_found, content.substr(1), "it is not there, or empty");
    const auto* raw = reinterpret_cast<const std::byte*>(read->data());
    argument.bytes.assign(raw, raw + read->size());
    return argument;
  }
  auto bytes = parse_hexadecimal(content);
  if (!bytes) return fail(ErrorId::bad_argument, spec, "bytes are pairs of hexadecimal digits, or @file.bin");
  argument.bytes = std::move(*bytes);
  return argument;
}

constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();
constexpr size_t kMostPointers = 4096;

/// "8*buf:…" → "buf:…", eight times.
Result<std::vector<std::string>> elements_of(const std::string& spec, const std::string& list) {
  std::vector<std::string> elements;
  for (const std::string& one : split(list, ';', kNoLimit)) {
    const size_t star = one.find('*');
    const auto count = star == std::string::npos ? std::nullopt : parse_whole<size_t>(one.substr(0, star));
    if (count && (*count < 1 || *count > kMostPointers))
      return fail(ErrorId::bad_argument, spec, phrase("there can be 1 to {} pointers", kMostPointers));
    elements.insert(elements.end(), count.value_or(1), count ? one.substr(star + 1) : one);
  }
  return elements;
}

/// Reads the specs of one kernel. Buffers are collected first, so that a pointer may name one that a later argument
/// declares.
class ArgumentReader {
 public:
  ArgumentReader(std::vector<BufferSpec>& buffers, const NameLookup& names, std::span<const std::string> usual_names)
      : buffers_(buffers), names_(names), usual_names_(usual_names), next_(buffers.size()) {}

  Result<ParsedArguments> read(const std::vector<std::string>& specs, const std::vector<std::string>& symbols) {
    for (size_t i = 0; i < specs.size(); ++i) {
      const Assignment given = split_argument(specs[i]);
      std::string usual_name = given.name;
      if (usual_name.empty() && i < usual_names_.size()) usual_name = usual_names_[i];
      if (usual_name.empty()) usual_name = fmt::format("arg{}", i);
      if (auto gathered = gather(given.value, usual_name); !gathered) return tl::unexpected<Error>(gathered.error());
    }
    for (const std::string& symbol : symbols) {
      const Assignment given = split_argument(symbol);
      if (given.value.starts_with("buf:")) continue;
      auto gathered = given.value.starts_with("ptrs:") ? gather_pointers(given.value, given.name, false)
                                                       : gather(given.value, given.name);
      if (!gathered) return tl::unexpected<Error>(gathered.error());
    }
    for (const std::string& spec : specs) {
      const Assignment given = split_argument(spec);
      auto argument = read_one(given.value, spec);
      if (!argument) return tl::unexpected<Error>(argument.error());
      parsed_.arguments.push_back(std::move(*argument));
      parsed_.names.push_back(given.name);
    }
    for (const std::string& symbol : symbols)
      if (auto read = read_symbol(symbol); !read) return tl::unexpected<Error>(read.error());
    return std::move(parsed_);
  }

 private:
  static std::string without_raw(const std::string& spec) { return spec.starts_with("raw:") ? spec.substr(4) : spec; }

  Result<void> gather(const std::string& given, const std::string& usual_name) {
    const std::string spec = without_raw(given);
    if (spec.starts_with("struct:")) {
      size_t member = 0;
      for (const std::string& one : split(spec.substr(7), ';', kNoLimit))
        if (auto gathered = gather(one, fmt::format("{}.{}", usual_name, member++)); !gathered) return gathered;
      return {};
    }
    if (spec.starts_with("ptrs:")) return gather_pointers(spec, usual_name, true);
    if (spec.starts_with("tex:")) {
      auto texture = parse_texture(spec, names_);
      if (!texture) return tl::unexpected<Error>(texture.error());
      texture->texels.name = usual_name;
      texture->texture.buffer = buffers_.size();
      parsed_.textures.push_back(texture->texture);
      return add_buffer(spec, std::move(texture->texels));
    }
    if (spec.starts_with("desc:")) {
      auto descriptor = parse_descriptor(spec, names_);
      if (!descriptor) return tl::unexpected<Error>(descriptor.error());
      descriptor->buffer.name = usual_name;
      descriptors_.push_back(std::move(descriptor->tensor));
      return add_buffer(spec, std::move(descriptor->buffer));
    }
    if (!spec.starts_with("buf:")) return {};
    auto buffer = parse_buffer(spec, names_);
    if (!buffer) return tl::unexpected<Error>(buffer.error());
    if (buffer->name.empty()) buffer->name = usual_name;
    return add_buffer(spec, std::move(*buffer));
  }

  /// The targets precede the array, which is a buffer unless it is a module variable.
  Result<void> gather_pointers(const std::string& spec, const std::string& usual_name, bool in_buffer) {
    const auto elements = elements_of(spec, spec.substr(5));
    if (!elements) return tl::unexpected<Error>(elements.error());
    for (size_t i = 0; i < elements->size(); ++i)
      if (auto gathered = gather((*elements)[i], fmt::format("{}.{}", usual_name, i)); !gathered) return gathered;
    if (!in_buffer) return {};
    BufferSpec table;
    table.name = usual_name;
    table.type = DType::u64;
    table.shape = {static_cast<int64_t>(elements->size())};
    table.fill = Fill::zero;
    return add_buffer(spec, std::move(table));
  }

  Result<void> add_buffer(const std::string& spec, BufferSpec buffer) {
    for (const BufferSpec& other : buffers_)
      if (other.name == buffer.name)
        return fail(ErrorId::bad_argument, spec,
                    phrase("two buffers are called '{}'; to pass one twice, use ptr:{}", other.name, other.name));
    buffers_.push_back(std::move(buffer));
    return {};
  }

  Result<void> read_symbol(const std::string& symbol) {
    const Assignment given = split_argument(symbol);
    if (given.name.empty()) return fail(ErrorId::bad_argument, symbol, "a variable is set by NAME=SPEC");
    VariableInput variable{.name = given.name};
    if (given.value.starts_with("buf:")) {
      auto contents = parse_buffer(given.value, names_);
      if (!contents) return tl::unexpected<Error>(contents.error());
      variable.contents = std::move(*contents);
    } else {
      auto value = given.value.starts_with("ptrs:") ? read_pointers(given.value, symbol)
                                                    : as_bytes(read_one(given.value, symbol));
      if (!value) return tl::unexpected<Error>(value.error());
      variable.value = std::move(*value);
    }
    parsed_.variables.push_back(std::move(variable));
    return {};
  }

  /// A pointer as the bytes of a variable.
  static Result<ScalarArgument> as_bytes(Result<Argument> argument) {
    if (!argument) return tl::unexpected<Error>(argument.error());
    if (auto* value = std::get_if<ScalarArgument>(&*argument)) return std::move(*value);
    ScalarArgument pointer;
    pointer.bytes.resize(sizeof(uint64_t));
    pointer.pointers.push_back({0, std::get<BufferArgument>(*argument)});
    return pointer;
  }

  /// `whole` is the argument that `spec` is, or is a member of.
  Result<Argument> read_one(const std::string& given, const std::string& whole) {
    const std::string spec = without_raw(given);
    const auto parts = split(spec, ':', 2);
    const bool raw = spec.size() != given.size();
    if (raw && parts[0] != "buf" && parts[0] != "ptr")
      return fail(ErrorId::bad_argument, whole, "raw: stands before buf: or ptr:");
    if (spec == "null" || spec == "nullptr") {
      ScalarArgument null = scalar(uint64_t{0});
      null.text = spec;
      null.number = ScalarArgument::Number::unknown;
      return Argument{null};
    }
    if (parts.size() < 2) return fail(ErrorId::bad_argument, whole, phrase("'{}' is not TYPE:VALUE", spec));
    if (parts[0] == "buf") return Argument{BufferArgument{.buffer = next_++, .raw = raw}};
    if (parts[0] == "tex") {
      BufferArgument object{.buffer = next_++};
      object.texture = next_texture_++;
      return Argument{object};
    }
    if (parts[0] == "desc")
      return Argument{BufferArgument{.buffer = next_++, .descriptor = descriptors_[next_tensor_++]}};
    if (parts[0] == "ptr") return read_pointer(spec, parts[1], raw);
    if (parts[0] == "struct") return read_struct(spec, parts[1]);
    if (parts[0] == "ptrs") {
      auto value = read_pointers(spec, whole);
      if (!value) return tl::unexpected<Error>(value.error());
      const size_t table = next_++;
      parsed_.presets.push_back({.buffer = table, .value = std::move(*value)});
      return Argument{BufferArgument{.buffer = table, .raw = true}};
    }
    auto scalar_argument =
        parts[0] == "bytes" ? parse_bytes(whole, parts[1]) : parse_scalar(whole, parts[0], parts[1], names_);
    if (!scalar_argument) return tl::unexpected<Error>(scalar_argument.error());
    return Argument{std::move(*scalar_argument)};
  }

  /// The addresses in an array of pointers.
  Result<ScalarArgument> read_pointers(const std::string& spec, const std::string& whole) {
    const auto elements = elements_of(spec, spec.substr(5));
    if (!elements) return tl::unexpected<Error>(elements.error());
    ScalarArgument value;
    value.text = whole;
    for (const std::string& element : *elements) {
      const bool pointer = element.starts_with("buf:") || element.starts_with("ptr:") || element == "null";
      if (!pointer)
        return fail(ErrorId::bad_argument, whole, phrase("'{}' is not a pointer: buf:…, ptr:NAME or null", element));
      auto one = read_one(element, whole);
      if (!one) return tl::unexpected<Error>(one.error());
      if (const auto* target = std::get_if<BufferArgument>(&*one))
        value.pointers.push_back({value.bytes.size(), *target});
      value.bytes.resize(value.bytes.size() + sizeof(uint64_t));
    }
    return value;
  }

  Result<Argument> read_pointer(const std::string& spec, const std::string& text, bool raw) {
    BufferArgument pointer{.buffer = 0, .raw = raw};
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
      buffers_[pointer.buffer].role = role_behind_pointer(pointer.buffer);
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

  /// Texels that a texture object only reads may be written through a pointer.
  Role role_behind_pointer(size_t buffer) const {
    const auto is_read = [&](const TextureSpec& texture) { return texture.buffer == buffer; };
    return std::ranges::any_of(parsed_.textures, is_read) ? Role::inout : buffers_[buffer].role;
  }

  /// Members are aligned to their size, as C lays out a struct of fundamental types.
  Result<Argument> read_struct(const std::string& spec, const std::string& members) {
    ScalarArgument whole;
    whole.text = spec;
    size_t alignment = 1;
    const auto pad_to = [&whole](size_t multiple) {
      whole.bytes.resize((whole.bytes.size() + multiple - 1) / multiple * multiple);
    };
    for (const std::string& one : split(members, ';', kNoLimit)) {
      auto member = read_one(one, spec);
      if (!member) return member;
      size_t member_alignment = 8;
      if (const auto* value = std::get_if<ScalarArgument>(&*member); value != nullptr && one != "null") {
        // Several values are each aligned separately; bytes have no known alignment.
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
  const NameLookup& names_;
  std::span<const std::string> usual_names_;
  size_t next_;  // the buffer of the next buf: spec
  size_t next_texture_ = 0;
  std::vector<TensorDescriptor> descriptors_;  // one for each desc: spec, in their order
  size_t next_tensor_ = 0;
  ParsedArguments parsed_;
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

std::optional<Checked<long double>> no_names(std::string_view) { return std::nullopt; }

std::string problem_text(const Problem& problem) {
  const auto place = [&](std::string_view name) {
    for (const auto& [key, value] : problem.places)
      if (key == name) return value;
    return std::string();
  };
  if (problem.key == "sandbox.unknown_name")
    return fmt::format("'{}' has no value; set it with --define {}=… or --arg {}=…", place("name"), place("name"),
                       place("name"));
  if (problem.key == "sandbox.unknown_function")
    return fmt::format("there is no function '{}'; there are ceil, floor, round, sqrt, log2, min and max",
                       place("name"));
  if (problem.key == "sandbox.not_whole") return fmt::format("{} is not a whole number", place("value"));
  if (problem.key == "sandbox.not_whole_rounded")
    return fmt::format("{} is {}, not a whole number; write ceil({})", place("text"), place("value"), place("text"));
  if (problem.key == "sandbox.too_small") return fmt::format("{} is less than {}", place("value"), place("low"));
  if (problem.key == "sandbox.too_large") return fmt::format("{} is more than {}", place("value"), place("high"));
  if (problem.key == "sandbox.division_by_zero") return "it divides by zero";
  if (problem.key == "sandbox.circular") return fmt::format("'{}' depends on itself", place("name"));
  return "it is not a number or an expression such as ceil(n/256)";
}

Result<int64_t> parse_whole_expression(const std::string& option, const std::string& text, int64_t low, int64_t high,
                                       const NameLookup& names) {
  const auto value = evaluate_whole(text, names, static_cast<long double>(low), static_cast<long double>(high));
  if (value) return static_cast<int64_t>(*value);
  return fail(ErrorId::usage, fmt::format("{} '{}': {}", option, text, problem_text(value.error())));
}

Result<Dim3> parse_extent(const std::string& name, const std::string& text, const NameLookup& names) {
  const auto parts = split_extents(text);
  std::array<uint32_t, 3> extent{1, 1, 1};
  if (parts.size() > 3) return fail(ErrorId::usage, fmt::format("--{} takes at most three numbers, X,Y,Z", name));
  for (size_t i = 0; i < parts.size(); ++i) {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    const auto value = parse_whole_expression("--" + name, parts[i], -kMost, kMost, names);
    if (!value) return tl::unexpected<Error>(value.error());
    const std::string axis = fmt::format("{}.{}", name, "xyz"[i]);
    if (*value < 1) return fail(ErrorId::bad_launch, axis, *value, "it must be at least 1");
    const int64_t limit = largest_extent(name, i);
    if (*value > limit) return fail(ErrorId::bad_launch, axis, *value, phrase("the limit is {}", limit));
    extent[i] = static_cast<uint32_t>(*value);
  }
  const Dim3 result{extent[0], extent[1], extent[2]};
  if (name == "block" && result.count() > 1024)
    return fail(ErrorId::bad_launch, "threads per block", result.count(), "the limit is 1024");
  return result;
}

Result<std::string> parse_architecture(const std::string& text) {
  if (text.empty()) return std::string();
  std::string_view number = text;
  for (const std::string_view prefix : {"sm_", "compute_"})
    if (number.starts_with(prefix)) number.remove_prefix(prefix.size());
  std::string_view digits = number;
  if (digits.ends_with('a') || digits.ends_with('f')) digits.remove_suffix(1);
  if (digits.size() < 2 || digits.size() > 3 || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return fail(ErrorId::usage, fmt::format("--arch '{}' is none; architectures are called sm_75, sm_80, sm_90", text));
  return fmt::format("compute_{}", number);
}

Assignment split_argument(const std::string& text) {
  size_t end = 0;
  // The name of a struct member is the parameter's name plus its own.
  const auto is_of_name = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  while (end < text.size() && (is_of_name(text[end]) || text.compare(end, 2, "::") == 0))
    end += text[end] == ':' ? 2 : 1;
  if (end == 0 || end >= text.size() || text[end] != '=') return {"", text};
  return {text.substr(0, end), text.substr(end + 1)};
}

Result<ParsedArguments> parse_arguments(const std::vector<std::string>& specs, const std::vector<std::string>& symbols,
                                        std::vector<BufferSpec>& buffers, const NameLookup& names,
                                        std::span<const std::string> usual_names) {
  return ArgumentReader(buffers, names, usual_names).read(specs, symbols);
}

Result<std::vector<Argument>> parse_arguments(const std::vector<std::string>& specs, std::vector<BufferSpec>& buffers) {
  auto parsed = parse_arguments(specs, {}, buffers, no_names);
  if (!parsed) return tl::unexpected<Error>(parsed.error());
  return std::move(parsed->arguments);
}

}  // namespace tilescope
