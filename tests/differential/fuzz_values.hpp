// The values of a generated kernel, as the bits of their type, and the operations that CUDA C++ defines for them.
#pragma once

#include <bit>
#include <cstdint>

#include "tests/differential/fuzz_kernel.hpp"

namespace tilescope::differential {

/// Only the bits that the type has.
uint64_t truncated(uint64_t bits, Type type);
int64_t signed_value(uint64_t bits, Type type);
/// Any float type as a double, which is exact.
double wide_value(uint64_t bits, Type type);

inline float as_float(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
inline double as_double(uint64_t bits) { return std::bit_cast<double>(bits); }
inline uint64_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }
inline uint64_t bits_of(double value) { return std::bit_cast<uint64_t>(value); }

/// A float outside the range of an integer type becomes 0, as in the printed guard.
uint64_t convert(uint64_t bits, Type from, Type to);
/// As a kernel stores it: all NaNs become the same one.
uint64_t observed(uint64_t bits, Type type);

uint64_t float_binary(Op op, Type type, uint64_t a, uint64_t b);
/// Not truncated to the type.
uint64_t integer_binary(Op op, Type type, uint64_t a, uint64_t b);
/// One operand, truncated to the type of the expression.
uint64_t unary(const Expression& e, uint64_t a);

}  // namespace tilescope::differential
