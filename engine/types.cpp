#include "engine/types.hpp"

#include <array>
#include <bit>
#include <cmath>

#include "engine/trace.hpp"

namespace tilescope {
namespace {

struct DTypeRow {
  DType type;
  std::string_view name;
  size_t bytes;
};
constexpr std::array<DTypeRow, 15> kDTypes{{{DType::f32, "f32", 4},
                                            {DType::f16, "f16", 2},
                                            {DType::bf16, "bf16", 2},
                                            {DType::f64, "f64", 8},
                                            {DType::i32, "i32", 4},
                                            {DType::u32, "u32", 4},
                                            {DType::i8, "i8", 1},
                                            {DType::u8, "u8", 1},
                                            {DType::u64, "u64", 8},
                                            {DType::i16, "i16", 2},
                                            {DType::u16, "u16", 2},
                                            {DType::i64, "i64", 8},
                                            {DType::boolean, "bool", 1},
                                            {DType::f8e4m3, "f8e4m3", 1},
                                            {DType::f8e5m2, "f8e5m2", 1}}};

/// Converts through the bits of a double, which can represent every half, including subnormals.
double half_value(uint16_t bits) {
  const uint64_t sign = uint64_t{bits & 0x8000U} << 48, magnitude = bits & 0x7fffU;
  constexpr uint64_t kBiases = uint64_t{1023 - 15} << 52;
  if (magnitude > 0x7c00U) return std::nan("");
  if (magnitude == 0x7c00U) return sign != 0 ? -INFINITY : INFINITY;
  if (magnitude < 0x0400U) return (sign != 0 ? -0x1p-24 : 0x1p-24) * static_cast<double>(magnitude);
  return std::bit_cast<double>(sign | ((magnitude << 42) + kBiases));
}

/// No infinities, and one NaN of each sign.
double e4m3_value(uint8_t bits) {
  constexpr int kBias = 7, kFractionBits = 3, kSubnormalExponent = 1 - kBias;
  const int magnitude = bits & 0x7f, exponent = magnitude >> kFractionBits, fraction = magnitude & 7;
  if (magnitude == 0x7f) return std::nan("");
  const double value = exponent == 0 ? std::ldexp(fraction, kSubnormalExponent - kFractionBits)
                                     : std::ldexp(8 + fraction, exponent - kBias - kFractionBits);
  return (bits & 0x80) != 0 ? -value : value;
}

template <class T>
T read_as(const void* element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  return value;
}

}  // namespace

Dim3 unflatten(uint64_t linear, const Dim3& extent) {
  const uint64_t plane = uint64_t{extent.x} * extent.y;
  return {static_cast<uint32_t>(linear % extent.x), static_cast<uint32_t>(linear / extent.x % extent.y),
          static_cast<uint32_t>(linear / plane)};
}

size_t size_of(DType type) { return kDTypes[static_cast<size_t>(type)].bytes; }
std::string_view name_of(DType type) { return kDTypes[static_cast<size_t>(type)].name; }

bool is_floating(DType type) {
  switch (type) {
    case DType::f32:
    case DType::f16:
    case DType::bf16:
    case DType::f64:
    case DType::f8e4m3:
    case DType::f8e5m2:
      return true;
    default:
      return false;
  }
}

bool is_signed_integer(DType type) {
  return type == DType::i8 || type == DType::i16 || type == DType::i32 || type == DType::i64;
}

std::optional<DType> dtype_from(std::string_view name) {
  if (name == "fp8e4nv") return DType::f8e4m3;
  if (name == "fp8e5") return DType::f8e5m2;
  for (const auto& row : kDTypes)
    if (row.name == name) return row.type;
  return std::nullopt;
}

std::string_view name_of(DeviceKind kind) { return kind == DeviceKind::sim ? "sim" : "gpu"; }

std::string_view name_of(PeakRate rate) {
  constexpr std::string_view kNames[] = {"fp64", "fp64 tensor", "fp32", "tf32", "fp16", "bf16", "fp8", "int8"};
  return kNames[static_cast<size_t>(rate)];
}

std::string_view name_of(Badge badge) {
  constexpr std::array<std::string_view, 4> names{"MEASURED", "SIMULATED", "MODELLED", "RECORDED"};
  return names[static_cast<size_t>(badge)];
}

std::string_view name_of(Space space) {
  constexpr std::array<std::string_view, 5> names{"global", "shared", "local", "constant", "param"};
  return names[static_cast<size_t>(space)];
}

std::string_view name_of(AccessKind kind) {
  constexpr std::array<std::string_view, 5> names{"load", "store", "atomic", "reduction", "async_copy"};
  return names[static_cast<size_t>(kind)];
}

double value_of(DType type, const void* element) {
  switch (type) {
    case DType::f32:
      return read_as<float>(element);
    case DType::f64:
      return read_as<double>(element);
    case DType::f16:
      return half_value(read_as<uint16_t>(element));
    case DType::bf16:
      return std::bit_cast<float>(uint32_t{read_as<uint16_t>(element)} << 16);
    case DType::i32:
      return read_as<int32_t>(element);
    case DType::u32:
      return read_as<uint32_t>(element);
    case DType::i8:
      return read_as<int8_t>(element);
    case DType::u8:
    case DType::boolean:  // as it is: a kernel may store a 2
      return read_as<uint8_t>(element);
    case DType::u64:
      return static_cast<double>(read_as<uint64_t>(element));
    case DType::i16:
      return read_as<int16_t>(element);
    case DType::u16:
      return read_as<uint16_t>(element);
    case DType::i64:
      return static_cast<double>(read_as<int64_t>(element));
    case DType::f8e4m3:
      return e4m3_value(read_as<uint8_t>(element));
    case DType::f8e5m2:  // the upper half of an f16
      return half_value(static_cast<uint16_t>(read_as<uint8_t>(element) << 8));
  }
  return 0;
}

double value_at(const HostBuffer& buffer, size_t index) {
  return value_of(buffer.type, buffer.bytes.data() + index * size_of(buffer.type));
}

}  // namespace tilescope
