// Floating-point formats, converted and rounded bit by bit as the GPU does: f16, bf16, f32 and f64.
//
// A finite number is significand · 2^exponent with a 64-bit significand, so that every number of these formats and
// every 64-bit integer is exact; `inexact` means that the true magnitude is slightly larger than the significand says.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/sim/program/program.hpp"

namespace tilescope {

struct FloatFormat {
  int fraction_bits;
  int exponent_bits;
  uint64_t canonical_nan;  // the result of an operation that yields NaN

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr uint64_t infinity() const { return ((uint64_t{1} << exponent_bits) - 1) << fraction_bits; }
  constexpr uint64_t sign_bit() const { return uint64_t{1} << (fraction_bits + exponent_bits); }
};
constexpr FloatFormat kFormat16{10, 5, 0x7fff};
constexpr FloatFormat kFormatBrain{7, 8, 0x7fff};
constexpr FloatFormat kFormatTensor{10, 8, 0x3ffff};  // tf32, without the 13 bits below
constexpr FloatFormat kFormat32{23, 8, 0x7fffffff};
constexpr FloatFormat kFormat64{52, 11, 0x7ff8000000000000};

struct ExactNumber {
  enum class Kind : uint8_t { zero, finite, infinity, nan };
  Kind kind = Kind::zero;
  bool negative = false;
  bool inexact = false;
  uint64_t significand = 0;
  int exponent = 0;
};

constexpr ExactNumber exact_of_bits(uint64_t bits, const FloatFormat& format) {
  ExactNumber number;
  number.negative = (bits & format.sign_bit()) != 0;
  const uint64_t magnitude = bits & (format.sign_bit() - 1);
  const uint64_t fraction = magnitude & ((uint64_t{1} << format.fraction_bits) - 1);
  const auto exponent = static_cast<int>(magnitude >> format.fraction_bits);
  if (magnitude >= format.infinity()) {
    number.kind = fraction != 0 ? ExactNumber::Kind::nan : ExactNumber::Kind::infinity;
  } else if (magnitude != 0) {
    number.kind = ExactNumber::Kind::finite;
    number.significand = exponent == 0 ? fraction : fraction | uint64_t{1} << format.fraction_bits;
    number.exponent = (exponent == 0 ? 1 : exponent) - format.bias() - format.fraction_bits;
  }
  return number;
}

constexpr ExactNumber exact_of_integer(bool negative, uint64_t magnitude) {
  ExactNumber number;
  number.negative = negative && magnitude != 0;
  number.kind = magnitude == 0 ? ExactNumber::Kind::zero : ExactNumber::Kind::finite;
  number.significand = magnitude;
  return number;
}

/// Whether a magnitude is rounded up: `odd` is the lowest kept bit, `half` the highest dropped bit, `rest` all lower
/// ones.
constexpr bool rounds_up(Rounding rounding, bool negative, bool odd, bool half, bool rest) {
  switch (rounding) {
    case Rounding::nearest_even:
      return half && (rest || odd);
    case Rounding::nearest_away:
      return half;
    case Rounding::minus_infinity:
      return negative && (half || rest);
    case Rounding::plus_infinity:
      return !negative && (half || rest);
    case Rounding::zero:
      return false;
  }
  return false;
}

/// The bits of the number in a format.
constexpr uint64_t round_to_format(ExactNumber number, const FloatFormat& format, Rounding rounding) {
  const uint64_t sign = number.negative ? format.sign_bit() : 0;
  if (number.kind == ExactNumber::Kind::nan) return format.canonical_nan;
  if (number.kind == ExactNumber::Kind::zero) return sign;
  if (number.kind == ExactNumber::Kind::infinity) return sign | format.infinity();
  const int shift = std::countl_zero(number.significand);
  const uint64_t significand = number.significand << shift;  // 1.xxx with 63 fraction bits
  const int exponent = number.exponent - shift + 63;
  const int lowest_exponent = 1 - format.bias();
  const int below = exponent < lowest_exponent ? lowest_exponent - exponent : 0;
  const int dropped = 63 - format.fraction_bits + below;
  const uint64_t kept = dropped > 63 ? 0 : significand >> dropped;
  const bool half = dropped <= 64 && (significand >> (dropped - 1) & 1) != 0;
  const uint64_t rest_mask = dropped > 64 ? ~uint64_t{0} : (uint64_t{1} << (dropped - 1)) - 1;
  const bool rest = (significand & rest_mask) != 0 || number.inexact;
  uint64_t magnitude = kept + (rounds_up(rounding, number.negative, (kept & 1) != 0, half, rest) ? 1 : 0);
  if (below == 0) magnitude += static_cast<uint64_t>(exponent + format.bias() - 1) << format.fraction_bits;
  if (magnitude < format.infinity() && exponent <= format.bias()) return sign | magnitude;
  const bool up = rounds_up(rounding, number.negative, true, true, true);  // to infinity, or to the largest finite
                                                                           // number
  return sign | (up ? format.infinity() : format.infinity() - 1);
}

inline ExactNumber exact_of(double value) { return exact_of_bits(std::bit_cast<uint64_t>(value), kFormat64); }
inline ExactNumber exact_of(float value) { return exact_of_bits(std::bit_cast<uint32_t>(value), kFormat32); }

/// Converts f16 or bf16 bits to float; always exact, NaN becomes the GPU's canonical one.
inline float widen(uint16_t bits, const FloatFormat& format) {
  if (format.exponent_bits == 8) return std::bit_cast<float>(uint32_t{bits} << 16);
  // The fraction is shifted into position; a multiplication adds the difference of the biases and normalises
  // subnormals.
  const float magnitude = std::bit_cast<float>((bits & 0x7fffU) << 13) * 0x1p112F;
  auto widened = std::bit_cast<uint32_t>(magnitude);
  if (magnitude >= 65536.0F) {
    if ((bits & 0x3ffU) != 0) return std::bit_cast<float>(0x7fffffffU);
    widened = 0x7f800000U;
  }
  return std::bit_cast<float>(widened | (bits & 0x8000U) << 16);
}
/// Same as narrow() from float to f16, rounding to nearest even.
inline uint16_t narrow_half(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000U, magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return 0x7fff;
  if (magnitude >= 0x477ff000U)
    return static_cast<uint16_t>(sign | 0x7c00U);  // values of at least 65520 round to
                                                   // infinity
  // Normal: round the fraction and shift it. Subnormal: adding 0.5 makes the host round at f16's last bit.
  const uint32_t normal = (magnitude - 0x38000000U + 0xfffU + (magnitude >> 13 & 1U)) >> 13;
  const uint32_t subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000U;
  return static_cast<uint16_t>(sign | (magnitude < 0x38800000U ? subnormal : normal));
}
inline uint16_t narrow(double value, const FloatFormat& format, Rounding rounding) {
  return static_cast<uint16_t>(round_to_format(exact_of(value), format, rounding));
}

/// The 16-bit formats as types, for handlers.
struct Half {
  uint16_t bits;
  static constexpr const FloatFormat& format = kFormat16;
};
struct Brain {
  uint16_t bits;
  static constexpr const FloatFormat& format = kFormatBrain;
};

/// A double that represents a value slightly above or below it: `value` with the sign of the lost part, rounded to odd,
/// so that a later rounding to a much narrower format is correct.
inline double to_odd(double value, double lost) {
  const auto bits = std::bit_cast<uint64_t>(value);
  if (lost == 0 || !std::isfinite(value) || (bits & 1) != 0) return value;
  if (value == 0)
    return lost < 0 ? -std::numeric_limits<double>::denorm_min() : std::numeric_limits<double>::denorm_min();
  return std::bit_cast<double>((lost > 0) == (value > 0) ? bits + 1 : bits - 1);
}
/// a + b, rounded to odd. 2Sum, Knuth, TAOCP vol. 2, 4.2.2.
inline double add_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double b_part = sum - a;
  const double lost = (a - (sum - b_part)) + (b - b_part);
  return to_odd(sum, lost);
}

}  // namespace tilescope
