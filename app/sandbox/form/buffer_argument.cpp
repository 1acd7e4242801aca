// --arg buf:TYPE:COUNT:INIT[:NAME]
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include "app/sandbox/form/arguments.hpp"

namespace tilescope {
namespace {

constexpr int64_t kLargestCount = int64_t{1} << 40;
constexpr const char* kTypes = "f32 f16 bf16 f64 f8e4m3 f8e5m2 i8 i16 i32 i64 u8 u16 u32 u64 bool";
constexpr const char* kFills =
    "zero, ones, iota, normal, uniform, poison, a number, iota(START,STEP), uniform(LOW,HIGH), normal(MEAN,DEVIATION) "
    "and @file.bin";

std::optional<int64_t> parse_extent_of_buffer(std::string_view text) {
  if (text.starts_with("2^")) {
    const auto exponent = parse_whole<int>(text.substr(2));
    if (!exponent || *exponent < 0 || *exponent > 62) return std::nullopt;
    return int64_t{1} << *exponent;
  }
  return parse_whole<int64_t>(text);
}

/// "1000", "2^20", "64x32": the extents, outermost first. Empty: not a possible number of elements.
std::vector<int64_t> parse_shape(const std::string& text) {
  std::vector<int64_t> shape;
  int64_t total = 1;
  for (const std::string& part : split(text, text.find('*') != std::string::npos ? '*' : 'x', 8)) {
    const auto extent = parse_extent_of_buffer(part);
    if (!extent || *extent < 1 || *extent > kLargestCount / total) return {};
    total *= *extent;
    shape.push_back(*extent);
  }
  return shape;
}

/// "n", "rows,cols", "ceil(n/4)*4": the same from expressions; or why there are none.
Result<std::vector<int64_t>> evaluate_shape(const std::string& spec, const std::string& text, const NameLookup& names) {
  std::vector<int64_t> shape;
  int64_t total = 1;
  for (const std::string& part : split_extents(text)) {
    const auto extent = evaluate_whole(part, names, 1, static_cast<long double>(kLargestCount / total));
    if (!extent)
      return fail(ErrorId::bad_argument, spec,
                  phrase("the count '{}' is not a number from 1 to 2^40: {}", text, problem_text(extent.error())));
    shape.push_back(static_cast<int64_t>(*extent));
    total *= shape.back();
  }
  return shape;
}

std::optional<Fill> fill_named(std::string_view name) {
  constexpr auto kNames = std::to_array<std::pair<std::string_view, Fill>>({{"zero", Fill::zero},
                                                                            {"zeros", Fill::zero},
                                                                            {"one", Fill::ones},
                                                                            {"ones", Fill::ones},
                                                                            {"iota", Fill::iota},
                                                                            {"normal", Fill::normal},
                                                                            {"uniform", Fill::uniform},
                                                                            {"random", Fill::uniform},
                                                                            {"rand", Fill::uniform},
                                                                            {"poison", Fill::poison},
                                                                            {"undefined", Fill::poison},
                                                                            {"uninitialised", Fill::poison},
                                                                            {"uninitialized", Fill::poison}});
  for (const auto& [known, fill] : kNames)
    if (name == known) return fill;
  return std::nullopt;
}

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with("0x")) {
    const auto digits = text.substr(2);
    uint64_t value = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (problem != std::errc() || digits.empty() || end != digits.data() + digits.size()) return std::nullopt;
    return static_cast<double>(value);
  }
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "uniform(-1,1)": reads the values in the brackets. Returns an empty string, or the error.
std::string read_fill_values(const std::string& text, size_t open, BufferSpec& buffer) {
  if (!text.ends_with(')')) return fmt::format("'{}' has no closing bracket", text);
  for (const std::string& part : split(text.substr(open + 1, text.size() - open - 2), ',', 8)) {
    const auto value = parse_number(part);
    if (!value || !std::isfinite(*value)) return fmt::format("'{}' is not a number", part);
    buffer.fill_values.push_back(*value);
  }
  const bool takes_one = buffer.fill == Fill::iota;
  const bool takes_two = takes_one || buffer.fill == Fill::uniform || buffer.fill == Fill::normal;
  const size_t given = buffer.fill_values.size();
  if ((given != 1 || !takes_one) && (given != 2 || !takes_two))
    return fmt::format("'{}' does not have the numbers it takes; there are {}", text, kFills);
  return {};
}

/// Returns an empty string, or why the initial contents are not understood.
std::string read_fill(const std::string& text, BufferSpec& buffer) {
  if (text.starts_with("@")) {
    buffer.fill = Fill::file;
    buffer.file = text.substr(1);
    return {};
  }
  const size_t open = text.find('(');
  if (const auto fill = fill_named(text.substr(0, open))) {
    buffer.fill = *fill;
    return open == std::string::npos ? std::string() : read_fill_values(text, open, buffer);
  }
  const auto value = parse_number(text.starts_with('=') ? text.substr(1) : text);
  if (!value) return fmt::format("there is no initial content '{}'; there are {}", text, kFills);
  if (!is_floating(buffer.type) && (!std::isfinite(*value) || *value != std::floor(*value)))
    return fmt::format("'{}' is not a whole number, as {} elements are", text, name_of(buffer.type));
  buffer.fill = Fill::constant;
  buffer.fill_values = {*value};
  return {};
}

}  // namespace

Result<BufferSpec> parse_contents(const std::string& spec, const std::string& type_name, const std::string& count,
                                  const std::string& init, const NameLookup& names) {
  BufferSpec buffer;
  const auto type = dtype_from(type_name);
  if (!type)
    return fail(ErrorId::bad_argument, spec, phrase("there is no element type '{}'; there are {}", type_name, kTypes));
  buffer.type = *type;
  buffer.shape = parse_shape(count);
  if (buffer.shape.empty()) {
    auto shape = evaluate_shape(spec, count, names);
    if (!shape) return tl::unexpected<Error>(shape.error());
    buffer.shape = std::move(*shape);
  }
  if (const std::string problem = read_fill(init, buffer); !problem.empty())
    return fail(ErrorId::bad_argument, spec, problem);
  // A buffer's role is not declared; only a poisoned one is certainly an output.
  buffer.role = buffer.fill == Fill::poison ? Role::output : Role::inout;
  return buffer;
}

Result<BufferSpec> parse_buffer(const std::string& spec, const NameLookup& names) {
  auto parts = split(spec, ':', 5);
  if (parts.size() < 4) return fail(ErrorId::bad_argument, spec, "a buffer is buf:TYPE:COUNT:INIT[:NAME]");
  std::error_code ignored;
  const std::string whole = parts.size() == 5 ? parts[3] + ":" + parts[4] : std::string();
  if (whole.starts_with("@") && std::filesystem::exists(whole.substr(1), ignored)) {  // a colon in the file's name
    parts[3] = whole;
    parts[4].clear();
  }
  auto buffer = parse_contents(spec, parts[1], parts[2], parts[3], names);
  if (buffer && parts.size() == 5) buffer->name = parts[4];
  return buffer;
}

}  // namespace tilescope
