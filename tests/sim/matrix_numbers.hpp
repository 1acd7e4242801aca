// Matrix elements for the tests of tensor core instructions: numbers that their type holds exactly, and their bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

namespace tilescope {

enum class Number : uint8_t { f16, bf16, tf32, f64, e4m3, e5m2, s8, u8, s4, u4, b1, f32, s32 };

inline size_t bits_of(Number number) {
  switch (number) {
    case Number::f64:
      return 64;
    case Number::f16:
    case Number::bf16:
      return 16;
    case Number::e4m3:
    case Number::e5m2:
    case Number::s8:
    case Number::u8:
      return 8;
    case Number::s4:
    case Number::u4:
      return 4;
    case Number::b1:
      return 1;
    default:
      return 32;
  }
}
inline const char* name_of(Number number) {
  constexpr const char* kNames[] = {"f16", "bf16", "tf32", "f64", "e4m3", "e5m2", "s8",
                                    "u8",  "s4",   "u4",   "b1",  "f32",  "s32"};
  return kNames[static_cast<size_t>(number)];
}

/// A small number that every format of its kind holds exactly; the bits are built from exponent and fraction.
inline double small_float(std::mt19937& random, int fraction_bits) {
  const int fraction = static_cast<int>(random() % (1U << std::min(fraction_bits, 20)));
  const double magnitude =
      std::ldexp(1.0 + fraction / std::ldexp(1.0, fraction_bits), static_cast<int>(random() % 4) - 2);
  return random() % 8 == 0 ? 0.0 : random() % 2 == 0 ? magnitude : -magnitude;
}
inline uint64_t float_bits(double value, int exponent_bits, int fraction_bits) {
  const uint64_t sign = std::signbit(value) ? uint64_t{1} << (exponent_bits + fraction_bits) : 0;
  if (value == 0) return sign;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent) * 2 - 1;  // value = (1 + fraction) · 2^(exponent − 1)
  const int bias = (1 << (exponent_bits - 1)) - 1;
  return sign | static_cast<uint64_t>(exponent - 1 + bias) << fraction_bits |
         static_cast<uint64_t>(std::ldexp(fraction, fraction_bits));
}

struct Element {
  double value;
  uint64_t bits;
};
inline Element make_element(Number number, std::mt19937& random) {
  const auto of_float = [&](int exponent_bits, int fraction_bits) {
    const double value = small_float(random, fraction_bits);
    return Element{value, float_bits(value, exponent_bits, fraction_bits)};
  };
  const auto of_integer = [&](int low, int high, uint64_t mask) {
    const int value = low + static_cast<int>(random() % static_cast<uint32_t>(high - low + 1));
    return Element{static_cast<double>(value), static_cast<uint64_t>(value) & mask};
  };
  switch (number) {
    case Number::f16:
      return of_float(5, 10);
    case Number::bf16:
      return of_float(8, 7);
    case Number::tf32: {
      const double value = small_float(random, 10);
      return {value, float_bits(value, 8, 23) | (random() & 0x1fff)};  // the lower 13 bits are ignored
    }
    case Number::f64:
      return of_float(11, 52);
    case Number::f32:
      return of_float(8, 23);
    case Number::e4m3:
      return of_float(4, 3);
    case Number::e5m2:
      return of_float(5, 2);
    case Number::s8:
      return of_integer(-128, 127, 0xff);
    case Number::u8:
      return of_integer(0, 255, 0xff);
    case Number::s4:
      return of_integer(-8, 7, 0xf);
    case Number::u4:
      return of_integer(0, 15, 0xf);
    case Number::b1:
      return of_integer(0, 1, 1);
    case Number::s32:
      return of_integer(-100000, 100000, 0xffffffff);
  }
  return {};
}

}  // namespace tilescope
