#include "engine/host_program/input_code.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/run/inputs.hpp"

namespace tilescope {
namespace {

constexpr std::string_view kStream = R"(
/// Each buffer draws from a stream of its own.
inline uint64_t stream(uint64_t seed, uint64_t buffer) { return seed * 1000003U + buffer; }

/// SplitMix64 (Steele, Lea, Flood 2014): scatters a counter over 64 bits.
inline uint64_t scatter(uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}
inline uint64_t bits_at(uint64_t stream, uint64_t i) { return scatter(scatter(stream) ^ scatter(i)); }
)";

constexpr std::string_view kNormal = R"(
/// Element i of a stream of standard normal values (Box-Muller). Two neighbours share a draw.
inline float normal_at(uint64_t stream, uint64_t i) {
  const uint64_t bits = bits_at(stream, i / 2);
  const float u = (static_cast<float>(bits >> 40) + 1.0F) * 0x1p-24F;  // (0, 1]
  const float angle = static_cast<float>(bits & 0xffffffU) * 0x1p-24F * 2 * 3.14159265F;
  const float radius = std::sqrt(-2.0F * std::log(u));
  return i % 2 == 0 ? radius * std::cos(angle) : radius * std::sin(angle);
}
)";

constexpr std::string_view kUniform = R"(
/// Element i of a stream of uniform values in [0, 1).
inline float uniform_at(uint64_t stream, uint64_t i) { return static_cast<float>(bits_at(stream, i) >> 40) * 0x1p-24F; }
)";

constexpr std::string_view kStoreFloat = R"(
inline void store(float& element, double value) { element = static_cast<float>(value); }
inline double value_of(float element) { return element; }
)";
constexpr std::string_view kStoreDouble = R"(
inline void store(double& element, double value) { element = value; }
inline double value_of(double element) { return element; }
)";
constexpr std::string_view kStoreHalf = R"(
inline void store(__half& element, double value) { element = __float2half_rn(static_cast<float>(value)); }
inline double value_of(__half element) { return __half2float(element); }
)";
constexpr std::string_view kStoreBfloat = R"(
inline void store(__nv_bfloat16& element, double value) { element = __float2bfloat16_rn(static_cast<float>(value)); }
inline double value_of(__nv_bfloat16 element) { return __bfloat162float(element); }
)";
constexpr std::string_view kStoreWhole = R"(
/// Whole numbers.
template <class T>
void store(T& element, double value) {
  element = value < 0 ? static_cast<T>(static_cast<int64_t>(value)) : static_cast<T>(static_cast<uint64_t>(value));
}
template <class T>
double value_of(T element) {
  return static_cast<double>(element);
}
)";

constexpr std::string_view kFill = R"(
template <class T, class Value>
void fill(std::vector<T>& elements, Value value) {
  for (uint64_t i = 0; i < elements.size(); ++i) store(elements[i], value(i));
}
)";
constexpr std::string_view kFillPattern = R"(
/// A bit pattern that no kernel computes: NaN for a floating type. An element that still holds it was never written.
template <class T>
void fill_pattern(std::vector<T>& elements, uint64_t pattern) {
  for (T& element : elements) std::memcpy(static_cast<void*>(&element), &pattern, sizeof(T));
}
)";
constexpr std::string_view kScaleRows = R"(
/// Multiplies the last of every `every` rows by `factor`.
template <class T>
void scale_rows(std::vector<T>& elements, size_t columns, size_t every, double factor) {
  for (size_t row = every - 1; row < elements.size() / columns; row += every)
    for (size_t i = row * columns; i < (row + 1) * columns; ++i) store(elements[i], value_of(elements[i]) * factor);
}
)";

bool is_random(const BufferSpec& spec) { return spec.fill == Fill::normal || spec.fill == Fill::uniform; }

bool scales_rows(const BufferSpec& spec) {
  const bool possible = spec.fill != Fill::poison && spec.fill != Fill::zero && !spec.shape.empty();
  return possible && spec.large_rows.every > 0 && spec.shape.back() > 0;
}

/// The value of element i, as an expression; as chosen_value and initial_value of engine/run/inputs.cpp.
std::string value_code(const BufferSpec& spec, size_t index) {
  const bool whole = !is_floating(spec.type);
  const std::string stream = fmt::format("host::stream(seed, {})", index);
  std::string normal = fmt::format("host::normal_at({}, i)", stream);
  const std::string uniform = fmt::format("host::uniform_at({}, i)", stream);
  const auto& values = spec.fill_values;
  const auto rounded = [&](const std::string& value) { return whole ? "std::floor(" + value + ")" : value; };
  if (!values.empty()) {
    const double first = values[0], second = values.size() > 1 ? values[1] : 1;
    switch (spec.fill) {
      case Fill::iota:
        return rounded(fmt::format("{} + {} * static_cast<double>(i)", first, second));
      case Fill::normal:
        return rounded(fmt::format("{} + {} * double{{{}}}{}", first, second, normal, whole ? " + 0.5" : ""));
      case Fill::uniform:
        return rounded(fmt::format("{} + {} * double{{{}}}", first, second - first, uniform));
      default:
        return fmt::format("{}", first);
    }
  }
  switch (spec.fill) {
    case Fill::ones:
      return "1.0";
    case Fill::iota:
      return "static_cast<double>(i)";
    case Fill::normal: {
      if (!whole) return normal;
      const int middle = is_signed_integer(spec.type) ? 0 : 128;
      return fmt::format("std::fmin(std::fmax(std::nearbyint(host::normal_at({}, i) * 32 + {}), {}), {})", stream,
                         middle, middle - 127, middle + 127);
    }
    case Fill::uniform:
      return whole ? fmt::format("std::floor(host::uniform_at({}, i) * 128)", stream) : uniform;
    default:
      return "0.0";
  }
}

}  // namespace

std::string cuda_type(DType type) {
  switch (type) {
    case DType::f32:
      return "float";
    case DType::f16:
      return "__half";
    case DType::bf16:
      return "__nv_bfloat16";
    case DType::f64:
      return "double";
    case DType::i32:
      return "int";
    case DType::u32:
      return "unsigned";
    case DType::i8:
      return "signed char";
    case DType::u8:
      return "unsigned char";
    case DType::u64:
      return "unsigned long long";
    case DType::i16:
      return "short";
    case DType::u16:
      return "unsigned short";
    case DType::i64:
      return "long long";
    case DType::boolean:
      return "bool";
    case DType::f8e4m3:
      return "__nv_fp8_e4m3";
    case DType::f8e5m2:
      return "__nv_fp8_e5m2";
  }
  return {};
}

std::string generator_code(const std::vector<BufferSpec>& buffers) {
  const auto any = [&](auto&& predicate) { return std::ranges::any_of(buffers, predicate); };
  const auto has_values = [](const BufferSpec& one) { return one.fill != Fill::zero && one.fill != Fill::poison; };
  const auto of_type = [&](DType type) {
    return any([&](const BufferSpec& one) { return has_values(one) && one.type == type; });
  };
  std::string code = "namespace host {\n";
  if (any(is_random)) code += kStream;
  if (any([](const BufferSpec& one) { return one.fill == Fill::normal; })) code += kNormal;
  if (any([](const BufferSpec& one) { return one.fill == Fill::uniform; })) code += kUniform;
  if (of_type(DType::f32)) code += kStoreFloat;
  if (of_type(DType::f64)) code += kStoreDouble;
  if (of_type(DType::f16)) code += kStoreHalf;
  if (of_type(DType::bf16)) code += kStoreBfloat;
  if (any([&](const BufferSpec& one) { return has_values(one) && !is_floating(one.type); })) code += kStoreWhole;
  if (any(has_values)) code += kFill;
  if (any([](const BufferSpec& one) { return one.fill == Fill::poison; })) code += kFillPattern;
  if (any(scales_rows)) code += kScaleRows;
  return code + "\n}  // namespace host\n";
}

std::string fill_code(const BufferSpec& spec, const std::string& name, size_t index, const std::string& indent) {
  if (spec.fill == Fill::zero) return {};
  if (spec.fill == Fill::poison)
    return fmt::format("{}host::fill_pattern({}, {:#x}U);\n", indent, name, poison_of(spec.type));
  const std::string value = value_code(spec, index);
  const std::string parameter = value.find("i)") == std::string::npos ? "uint64_t" : "uint64_t i";
  std::string code = fmt::format("{}host::fill({}, [&]({}) {{ return {}; }});\n", indent, name, parameter, value);
  if (scales_rows(spec))
    code += fmt::format("{}host::scale_rows({}, {}, {}, {});\n", indent, name, spec.shape.back(), spec.large_rows.every,
                        spec.large_rows.factor);
  return code;
}

}  // namespace tilescope
