// Arithmetic of f16 and bf16, single and packed (PTX ISA 9.0, section 9.7.4).
#include <cmath>
#include <cstdint>

#include "engine/sim/isa/simd_targets.hpp"
#include "engine/sim/program/formats.hpp"
#include "engine/sim/program/isa.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/sim/isa/execute_half.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, for each instruction set.
#include "engine/sim/isa/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilescope {
namespace HWY_NAMESPACE {
namespace half {

// Operators on doubles: sums and products of two 16-bit numbers are exact, or rounded to odd, so a further rounding to
// 16 bits is correct.
struct Sum {
  static HWY_INLINE double run(double a, double b) { return add_to_odd(a, b); }
};
struct Difference {
  static HWY_INLINE double run(double a, double b) { return add_to_odd(a, -b); }
};
struct Product {
  static HWY_INLINE double run(double a, double b) { return a * b; }
};
struct Fused {
  static HWY_INLINE double run(double a, double b, double c) { return add_to_odd(a * b, c); }
};
template <bool kNan>
struct Least {
  static HWY_INLINE double run(double a, double b) {
    if (a != a) return kNan ? a : b;
    if (b != b) return kNan ? b : a;
    return a < b || (a == b && std::signbit(a)) ? a : b;
  }
};
template <bool kNan>
struct Greatest {
  static HWY_INLINE double run(double a, double b) {
    if (a != a) return kNan ? a : b;
    if (b != b) return kNan ? b : a;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
  }
};
struct Minus {
  static HWY_INLINE double run(double a) { return -a; }
};
struct Magnitude {
  static HWY_INLINE double run(double a) { return std::abs(a); }
};
struct PowerOfTwo {
  static HWY_INLINE double run(double a) { return std::exp2(a); }
};
struct Tanh {
  static HWY_INLINE double run(double a) { return std::tanh(a); }
};

template <class Format>
HWY_INLINE uint16_t flush_half(const OperationModifiers& modifiers, uint16_t bits) {
  const bool subnormal = (bits & Format::format.infinity()) == 0;
  return modifiers.flush && subnormal ? bits & 0x8000 : bits;
}

/// One number of a 16-bit format.
template <class Format, class Op>
struct One {
  template <class... Bits>
  static HWY_INLINE uint16_t run(const OperationModifiers& modifiers, Bits... bits) {
    double value = Op::run(double{widen(flush_half<Format>(modifiers, bits), Format::format)}...);
    if (modifiers.saturate) value = value > 0 ? (value < 1 ? value : 1) : 0;
    if (modifiers.relu && value <= 0) value = 0;  // also for −0
    const uint16_t result = narrow(value, Format::format, Rounding::nearest_even);
    // Rounded up to the smallest normal number: flushed if it would be smaller with unbounded exponents (seen on an
    // H200).
    if (modifiers.flush && (result & 0x7fff) == 1 << Format::format.fraction_bits &&
        std::abs(value) < std::ldexp(2.0 - std::ldexp(1.0, -Format::format.fraction_bits - 1), -Format::format.bias()))
      return result & 0x8000;
    return flush_half<Format>(modifiers, result);
  }
};
/// Two numbers in a register.
template <class Format, class Op>
struct Two {
  template <class... Bits>
  static HWY_INLINE uint32_t run(const OperationModifiers& modifiers, Bits... bits) {
    const uint32_t low = One<Format, Op>::run(modifiers, static_cast<uint16_t>(bits)...);
    const uint32_t high = One<Format, Op>::run(modifiers, static_cast<uint16_t>(bits >> 16)...);
    return high << 16 | low;
  }
};

/// .xorsign.abs: the magnitudes are compared, and the result's sign is the exclusive or of the operands' signs, unless
/// it is a NaN.
template <class Op, uint32_t kSigns>
struct ExclusiveSign {
  template <class T>
  static HWY_INLINE T run(const OperationModifiers& modifiers, T a, T b) {
    constexpr auto kMagnitude = static_cast<T>(~kSigns);
    const T result = Op::run(modifiers, static_cast<T>(a & kMagnitude), static_cast<T>(b & kMagnitude));
    T nan = 0;
    for (size_t shift = 0; shift < 8 * sizeof(T); shift += 16)
      if ((result >> shift & 0x7fff) == 0x7fff) nan = static_cast<T>(nan | T{0x8000} << shift);
    return static_cast<T>(result ^ ((a ^ b) & static_cast<T>(kSigns) & static_cast<T>(~nan)));
  }
};

std::span<const IsaRow> all_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_HALF
#include "engine/sim/program/isa.def"
#undef ISA_HALF
#undef ISA
  };
  return kRows;
}

}  // namespace half

std::span<const IsaRow> rows_of_half() { return half::all_rows(); }

}  // namespace HWY_NAMESPACE
}  // namespace tilescope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope {

HWY_EXPORT(rows_of_half);
std::span<const IsaRow> half_rows() { return HWY_DYNAMIC_DISPATCH(rows_of_half)(); }

}  // namespace tilescope
#endif
