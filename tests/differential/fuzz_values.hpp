// What a generated kernel computes with: values as the bits of their type, and what CUDA C++ defines for them.
#pragma once

#include <bit>
#include <cstdint>

#include "tests/differential/fuzz_kernel.hpp"

namespace tilescope::differential {

/// The bits that the type has.
uint64_t truncated(uint64_t bits, Type type);
int64_t signed_value(uint64_t bits, Type type);
/// Any float type as a double: exact.
double wide_value(uint64_t bits, Type type);

inline float as_float(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
inline double as_double(uint64_t bits) { return std::bit_cast<double>(bits); }
inline uint64_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }
inline uint64_t bits_of(double value) { return std::bit_cast<uint64_t>(value); }

/// A float outside the range of an integer type becomes 0, as the printed guard has it.
uint64_t convert(uint64_t bits, Type from, Type to);
/// As a kernel stores it: every NaN is the same one.
uint64_t observed(uint64_t bits, Type type);

uint64_t float_binary(Op op, Type type, uint64_t a, uint64_t b);
/// Not cut to the type.
uint64_t integer_binary(Op op, Type type, uint64_t a, uint64_t b);
/// One operand, cut to the type of the expression.
uint64_t unary(const Expression& e, uint64_t a);

}  // namespace tilescope::differential
