#include "engine/run/inputs.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <utility>

#include "engine/parallel.hpp"
#include "engine/run/npy.hpp"

namespace tilescope {
namespace {

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection that scatters a counter over 64 bits.
uint64_t scatter(uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

uint64_t bits_at(uint64_t stream, uint64_t counter) { return scatter(scatter(stream) ^ scatter(counter)); }

/// Box–Muller: two normal values from one draw.
std::pair<float, float> normal_pair(uint64_t stream, uint64_t pair) {
  const uint64_t bits = bits_at(stream, pair);
  const float u = (static_cast<float>(bits >> 40) + 1.0F) * 0x1p-24F;  // (0, 1]
  const float angle = static_cast<float>(bits & 0xffffffU) * 0x1p-24F * 2 * std::numbers::pi_v<float>;
  const float radius = std::sqrt(-2.0F * std::log(u));
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

uint16_t half_from(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000U);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7e00U;
  if (magnitude >= 65520.0F) return sign | 0x7c00U;
  if (magnitude < 6.103515625e-05F)  // subnormal: units of 2^-24; lrint rounds to nearest even
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::lrint(std::ldexp(magnitude, 24))));
  uint32_t rounded = std::bit_cast<uint32_t>(magnitude);
  rounded += 0xfffU + ((rounded >> 13) & 1U);
  return static_cast<uint16_t>(sign | ((rounded - (112U << 23)) >> 13));
}

uint16_t bfloat_from(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40U);
  return static_cast<uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

/// A floating-point format of 8 bits.
struct Eighth {
  int fraction_bits, bias;
  uint8_t largest, overflow;  // the code of the largest finite number, and what is stored for a larger one
};
constexpr Eighth kE4m3{.fraction_bits = 3, .bias = 7, .largest = 0x7e, .overflow = 0x7f};   // NaN: it has no infinity
constexpr Eighth kE5m2{.fraction_bits = 2, .bias = 15, .largest = 0x7b, .overflow = 0x7c};  // infinity

/// Rounds to nearest even.
uint8_t eighth_from(double value, const Eighth& format) {
  const auto sign = static_cast<uint8_t>(std::signbit(value) ? 0x80 : 0);
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7f;
  if (magnitude == 0) return sign;
  if (std::isinf(value)) return sign | format.overflow;
  const int exponent = std::max(std::ilogb(magnitude), 1 - format.bias);
  // Both a carry of the rounding and subnormals come out right: codes in sequence are numbers in sequence.
  const long steps = std::lrint(std::ldexp(magnitude, format.fraction_bits - exponent));
  const long code = (long{exponent + format.bias - 1} << format.fraction_bits) + steps;
  return sign | (code > format.largest ? format.overflow : static_cast<uint8_t>(code));
}

template <class T>
void write_as(HostBuffer& buffer, size_t index, T value) {
  std::memcpy(buffer.bytes.data() + index * sizeof(T), &value, sizeof(T));
}

Result<HostBuffer> read_array(const BufferSpec& spec, size_t count) {
  auto array = read_npy(spec.file);
  if (!array) return forward(array);
  if (array->values.count() != count)
    return fail(ErrorId::file_refused, spec.file,
                phrase("it holds {} elements and the buffer '{}' has {}", array->values.count(), spec.name, count));
  return converted(std::move(array->values), spec.type);
}

Result<HostBuffer> read_file(const BufferSpec& spec, size_t count) {
  if (is_npy(spec.file)) return read_array(spec, count);
  HostBuffer buffer(spec.type, count);
  std::ifstream file(spec.file, std::ios::binary);
  if (!file) return fail(ErrorId::file_not_found, spec.file, std::strerror(errno));
  file.read(reinterpret_cast<char*>(buffer.bytes.data()), static_cast<std::streamsize>(buffer.bytes.size()));
  const auto got = static_cast<size_t>(file.gcount());
  if (got < buffer.bytes.size()) return fail(ErrorId::file_too_short, spec.file, got, buffer.bytes.size());
  return buffer;
}

void fill_poison(HostBuffer& buffer, size_t begin, size_t end) {
  const uint64_t pattern = poison_of(buffer.type);
  const size_t bytes = size_of(buffer.type);
  for (size_t i = begin; i < end; ++i) std::memcpy(buffer.bytes.data() + i * bytes, &pattern, bytes);
}

/// Calls store(i, normal_at(stream, i)) for [begin, end); two neighbours share the logarithm.
template <class Store>
void for_each_normal(uint64_t stream, size_t begin, size_t end, Store&& store) {
  for (size_t i = begin; i < end;) {
    const auto [even, odd] = normal_pair(stream, i / 2);
    if (i % 2 == 0) store(i++, even);
    if (i % 2 == 1 && i < end) store(i++, odd);
  }
}

/// Elements [begin, end) of a buffer whose first element is number `first`. False if the type has no special fill.
bool fill_normal(HostBuffer& buffer, uint64_t stream, size_t first, size_t begin, size_t end) {
  if (buffer.type == DType::f32) {
    const auto values = buffer.as<float>();
    for_each_normal(stream, begin, end, [&](size_t i, float value) { values[i - first] = value; });
    return true;
  }
  if (buffer.type != DType::f16 && buffer.type != DType::bf16) return false;
  const auto values = buffer.as<uint16_t>();
  if (buffer.type == DType::f16)
    for_each_normal(stream, begin, end, [&](size_t i, float value) { values[i - first] = half_from(value); });
  else
    for_each_normal(stream, begin, end, [&](size_t i, float value) { values[i - first] = bfloat_from(value); });
  return true;
}

/// A value chosen by the user instead of the default.
double chosen_value(const BufferSpec& spec, uint64_t stream, size_t element) {
  const double first = spec.fill_values[0], second = spec.fill_values.size() > 1 ? spec.fill_values[1] : 1;
  const auto whole = [&](double value) { return is_floating(spec.type) ? value : std::floor(value); };
  switch (spec.fill) {
    case Fill::iota:
      return whole(first + second * static_cast<double>(element));
    case Fill::normal:
      return whole(first + second * double{normal_at(stream, element)} + (is_floating(spec.type) ? 0 : 0.5));
    case Fill::uniform:
      return whole(first + (second - first) * double{uniform_at(stream, element)});
    default:
      return first;
  }
}

double initial_value(Fill fill, uint64_t stream, size_t element, DType type) {
  const bool integer = !is_floating(type);
  switch (fill) {
    case Fill::ones:
      return 1;
    case Fill::iota:
      return static_cast<double>(element);
    case Fill::normal:
      // For integers: normal with deviation 32 around 128 (unsigned) or 0 (signed), within the range of every integer
      // type.
      if (type == DType::boolean) return normal_at(stream, element) > 0 ? 1 : 0;
      if (integer) {
        const double middle = is_signed_integer(type) ? 0 : 128;
        return std::fmin(std::fmax(std::nearbyint(normal_at(stream, element) * 32 + middle), middle - 127),
                         middle + 127);
      }
      return normal_at(stream, element);
    case Fill::uniform:
      if (type == DType::boolean) return uniform_at(stream, element) < 0.5F ? 1 : 0;
      return integer ? std::floor(uniform_at(stream, element) * 128) : uniform_at(stream, element);
    default:
      return 0;
  }
}

}  // namespace

float uniform_at(uint64_t stream, uint64_t element) {
  return static_cast<float>(bits_at(stream, element) >> 40) * 0x1p-24F;
}

float normal_at(uint64_t stream, uint64_t element) {
  const auto [even, odd] = normal_pair(stream, element / 2);
  return element % 2 == 0 ? even : odd;
}

uint64_t poison_of(DType type) {
  switch (type) {
    case DType::f32:
      return 0x7fedbeefU;  // quiet NaN with a payload that arithmetic does not produce
    case DType::f16:
      return 0x7eedU;
    case DType::bf16:
      return 0x7fedU;
    case DType::f64:
      return 0x7ffdbeefdeadbeefU;
    case DType::i8:
    case DType::u8:
    case DType::boolean:
      return 0xa5U;
    case DType::f8e4m3:
      return 0xffU;  // the NaN that conversions give is 0x7f
    case DType::f8e5m2:
      return 0xfdU;
    default:
      return 0xa5a5a5a5deadbeefU;
  }
}

uint64_t count_poison(const HostBuffer& buffer, size_t begin, size_t end) {
  const uint64_t pattern = poison_of(buffer.type);
  const auto count = [&](const auto& values) {
    using Word = typename std::decay_t<decltype(values)>::value_type;
    return static_cast<uint64_t>(std::count(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                            values.begin() + static_cast<std::ptrdiff_t>(end),
                                            static_cast<Word>(pattern)));
  };
  switch (size_of(buffer.type)) {
    case 1:
      return count(buffer.as<uint8_t>());
    case 2:
      return count(buffer.as<uint16_t>());
    case 4:
      return count(buffer.as<uint32_t>());
    default:
      return count(buffer.as<uint64_t>());
  }
}

void store_value(HostBuffer& buffer, size_t index, double value) {
  switch (buffer.type) {
    case DType::f32:
      return write_as(buffer, index, static_cast<float>(value));
    case DType::f64:
      return write_as(buffer, index, value);
    case DType::f16:
      return write_as(buffer, index, half_from(static_cast<float>(value)));
    case DType::bf16:
      return write_as(buffer, index, bfloat_from(static_cast<float>(value)));
    case DType::i32:
      return write_as(buffer, index, static_cast<int32_t>(static_cast<int64_t>(value)));
    case DType::u32:
      return write_as(buffer, index, static_cast<uint32_t>(static_cast<int64_t>(value)));
    case DType::i8:
      return write_as(buffer, index, static_cast<int8_t>(static_cast<int64_t>(value)));
    case DType::u8:
      return write_as(buffer, index, static_cast<uint8_t>(static_cast<int64_t>(value)));
    case DType::u64:
      return write_as(buffer, index,
                      value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint64_t>(value));
    case DType::i16:
      return write_as(buffer, index, static_cast<int16_t>(static_cast<int64_t>(value)));
    case DType::u16:
      return write_as(buffer, index, static_cast<uint16_t>(static_cast<int64_t>(value)));
    case DType::i64:
      return write_as(buffer, index, static_cast<int64_t>(value));
    case DType::boolean:
      return write_as(buffer, index, static_cast<uint8_t>(value != 0));
    case DType::f8e4m3:
      return write_as(buffer, index, eighth_from(value, kE4m3));
    case DType::f8e5m2:
      return write_as(buffer, index, eighth_from(value, kE5m2));
  }
}

namespace {

/// For a buffer whose first element is number `first`.
void enlarge_rows(HostBuffer& buffer, const BufferSpec& spec, size_t first) {
  const auto length = static_cast<size_t>(spec.shape.back()), every = static_cast<size_t>(spec.large_rows.every);
  if (length == 0) return;
  const size_t rows = static_cast<size_t>(spec.count()) / length, end = first + buffer.count();
  for (size_t row = first / length / every * every + every - 1; row < rows && row * length < end; row += every)
    for (size_t i = std::max(first, row * length); i < std::min(end, (row + 1) * length); ++i)
      store_value(buffer, i - first, value_at(buffer, i - first) * spec.large_rows.factor);
}

}  // namespace

HostBuffer make_part(const BufferSpec& spec, size_t index, uint64_t seed, size_t begin, size_t end) {
  HostBuffer buffer(spec.type, end - begin);
  if (spec.fill == Fill::zero) return buffer;
  const uint64_t stream = seed * 1000003U + index;
  parallel_for(end - begin, size_t{1} << 16, [&](size_t from, size_t to) {
    if (spec.fill == Fill::poison) return fill_poison(buffer, from, to);
    if (!spec.fill_values.empty()) {
      for (size_t i = from; i < to; ++i) store_value(buffer, i, chosen_value(spec, stream, begin + i));
      return;
    }
    if (spec.fill == Fill::normal && fill_normal(buffer, stream, begin, begin + from, begin + to)) return;
    for (size_t i = from; i < to; ++i) store_value(buffer, i, initial_value(spec.fill, stream, begin + i, spec.type));
  });
  if (spec.large_rows.every > 0 && spec.fill != Fill::poison && !spec.shape.empty()) enlarge_rows(buffer, spec, begin);
  return buffer;
}

Result<HostBuffer> make_contents(const BufferSpec& spec, size_t index, uint64_t seed) {
  const auto count = static_cast<size_t>(spec.count());
  if (spec.fill == Fill::file) return read_file(spec, count);
  return make_part(spec, index, seed, 0, count);
}

}  // namespace tilescope
