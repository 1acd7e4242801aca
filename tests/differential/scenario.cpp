#include "tests/differential/scenario.hpp"

#include <cmath>

namespace tilescope::differential {

Half half_of(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const double size = std::abs(static_cast<double>(value));
  if (std::isnan(value)) return {static_cast<uint16_t>(sign | 0x7e00)};
  if (size >= 65520.0) return {static_cast<uint16_t>(sign | 0x7c00)};
  int exponent = 0;
  std::frexp(size, &exponent);
  // One ulp: 2^-24 for subnormals, 2^(e-11) for a value in [2^(e-1), 2^e).
  const int unit = size < 0x1p-14 ? -24 : exponent - 11;
  const auto steps = static_cast<uint32_t>(std::nearbyint(std::ldexp(size, -unit)));
  const uint32_t magnitude = unit == -24 ? steps : (static_cast<uint32_t>(exponent + 13) << 10) + steps;
  return {static_cast<uint16_t>(sign | magnitude)};
}

float float_of(Half value) {
  const int exponent = value.bits >> 10 & 31;
  const int fraction = value.bits & 1023;
  double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) size = fraction == 0 ? INFINITY : NAN;
  return static_cast<float>((value.bits & 0x8000) != 0 ? -size : size);
}

}  // namespace tilescope::differential
