// The frequently used conversions (PTX ISA 9.0, section 9.7.9.21).
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/sim/isa/simd_targets.hpp"
#include "engine/sim/program/formats.hpp"
#include "engine/sim/program/isa.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/sim/isa/execute_convert.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, for each instruction set.
#include "engine/sim/isa/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilescope {
namespace HWY_NAMESPACE {
namespace convert {

template <class R>
struct Cast {
  template <class A>
  static HWY_INLINE R run(A a) {
    return static_cast<R>(a);
  }
};
/// The low byte of a register, extended.
template <class Byte>
struct LowByte {
  template <class A>
  static HWY_INLINE A run(A a) {
    return static_cast<A>(static_cast<Byte>(a));
  }
};
/// Towards zero; an out-of-range value becomes the nearest representable one, and a NaN becomes 0.
template <class R>
struct Truncate {
  static HWY_INLINE R run(float a) {
    constexpr double kLow = std::numeric_limits<R>::min(), kHigh = std::numeric_limits<R>::max();
    const double value = a;
    return value > kLow ? (value < kHigh ? static_cast<R>(value) : std::numeric_limits<R>::max())
                        : (value <= kLow ? std::numeric_limits<R>::min() : R{0});
  }
};

/// To the nearest integer, halves to the even one; otherwise as above.
template <class R>
struct Nearest {
  static HWY_INLINE R run(float a) { return Truncate<R>::run(std::nearbyint(a)); }
};
/// Into [0, 1]; a NaN and -0 become +0.
struct Saturate {
  static HWY_INLINE float run(float a) { return a > 0 ? (a < 1 ? a : 1.0F) : 0.0F; }
};
/// To tf32, an f32 whose last 13 bits are 0; halves away from zero. A NaN loses its low bits (seen on an H200).
struct NarrowTensor {
  static HWY_INLINE uint32_t run(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    return (value != value ? bits : bits + 0x1000U) & 0xffffe000U;
  }
};

struct WidenHalf {
  static HWY_INLINE float run(uint16_t bits) { return widen(bits, kFormat16); }
};
struct WidenBrain {
  static HWY_INLINE float run(uint16_t bits) { return widen(bits, kFormatBrain); }
};
struct NarrowHalf {
  static HWY_INLINE uint16_t run(float value) { return narrow_half(value); }
};
struct NarrowBrain {
  static HWY_INLINE uint16_t run(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    if (value != value) return static_cast<uint16_t>(kFormatBrain.canonical_nan);
    return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
};
/// The first operand goes to the upper half.
template <class Narrow>
struct NarrowPair {
  static HWY_INLINE uint32_t run(float a, float b) {
    return static_cast<uint32_t>(Narrow::run(a)) << 16 | Narrow::run(b);
  }
};

std::span<const IsaRow> all_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_CONVERT
#include "engine/sim/program/isa.def"
#undef ISA_CONVERT
#undef ISA
  };
  return kRows;
}

}  // namespace convert

std::span<const IsaRow> rows_of_convert() { return convert::all_rows(); }

}  // namespace HWY_NAMESPACE
}  // namespace tilescope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope {

HWY_EXPORT(rows_of_convert);
std::span<const IsaRow> convert_rows() { return HWY_DYNAMIC_DISPATCH(rows_of_convert)(); }

}  // namespace tilescope
#endif
