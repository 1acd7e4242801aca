// The approximate functions of f32 (PTX ISA 9.0, sections 9.7.3.17 to 9.7.3.22), within the error bounds of the ISA:
// Taylor and atanh series on a reduced argument. Special values (zeros, infinities, NaN) are exact.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/sim/isa/simd_targets.hpp"
#include "engine/sim/program/isa.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/sim/isa/execute_approximate.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, for each instruction set.
#include "engine/sim/isa/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilescope {
namespace HWY_NAMESPACE {
namespace approximate {

using Floats = Tag<float>;
using V = hn::Vec<Floats>;
using I = hn::Vec<hn::RebindToSigned<Floats>>;

HWY_INLINE V set(float value) { return hn::Set(Floats(), value); }
HWY_INLINE V nan() { return hn::BitCast(Floats(), hn::Set(hn::RebindToUnsigned<Floats>(), 0x7fffffffU)); }
/// a + x · (b + x · (…)), coefficients from the highest power down.
template <class... C>
HWY_INLINE V polynomial(V x, float highest, C... lower) {
  V sum = set(highest);
  ((sum = hn::MulAdd(sum, x, set(lower))), ...);
  return sum;
}
HWY_INLINE V flush(V value) {
  const Floats d;
  const auto subnormal = hn::Lt(hn::Abs(value), set(std::numeric_limits<float>::min()));
  return hn::IfThenElse(subnormal, hn::CopySign(hn::Zero(d), value), value);
}

/// An angle as whole quarter turns and a remainder of at most an eighth of a turn. π/2 is split into three parts, the
/// first two of 11 bits, so that their multiples are exact.
constexpr float kLargestAngle = 8192.0F;
struct Angle {
  I quarters;
  V rest;
};
HWY_INLINE Angle reduce(V x) {
  const Floats d;
  const V quarters = hn::Round(hn::Mul(x, set(0.636619772F)));
  V rest = hn::NegMulAdd(quarters, set(1.5703125F), x);
  rest = hn::NegMulAdd(quarters, set(4.83751297e-4F), rest);
  rest = hn::NegMulAdd(quarters, set(7.54978995e-8F), rest);
  const auto none = hn::Eq(quarters, hn::Zero(d));  // keeps the sign of a zero
  return {hn::ConvertTo(hn::RebindToSigned<Floats>(), quarters), hn::IfThenElse(none, x, rest)};
}
/// The sine of the angle plus `ahead` quarter turns.
HWY_INLINE V sine_of(const Angle& angle, int32_t ahead) {
  const Floats d;
  const hn::RebindToSigned<Floats> integers;
  const I turn = hn::Add(angle.quarters, hn::Set(integers, ahead));
  const V x = angle.rest, square = hn::Mul(x, x);
  const V odd = polynomial(square, 1 / 362880.0F, -1 / 5040.0F, 1 / 120.0F, -1 / 6.0F);
  const V sine = hn::Mul(hn::MulAdd(odd, square, set(1.0F)), x);  // keeps the sign of a zero
  const V cosine = polynomial(square, 1 / 40320.0F, -1 / 720.0F, 1 / 24.0F, -0.5F, 1.0F);
  const I one = hn::Set(integers, 1), two = hn::Set(integers, 2);
  const auto swapped = hn::RebindMask(d, hn::Eq(hn::And(turn, one), one));
  const auto negative = hn::RebindMask(d, hn::Eq(hn::And(turn, two), two));
  const V value = hn::IfThenElse(swapped, cosine, sine);
  return hn::IfThenElse(negative, hn::Neg(value), value);
}
struct Sine {
  static HWY_INLINE V run(V x) { return sine_of(reduce(x), 0); }
  static bool usual(float x) { return std::abs(x) < kLargestAngle; }
  static float exact(float x) { return static_cast<float>(std::sin(double{x})); }
};
struct Cosine {
  static HWY_INLINE V run(V x) { return sine_of(reduce(x), 1); }
  static bool usual(float x) { return std::abs(x) < kLargestAngle; }
  static float exact(float x) { return static_cast<float>(std::cos(double{x})); }
};

/// log2(m · 2^e) with m between √½ and √2: e + 2/ln(2) · atanh((m − 1) / (m + 1)).
struct Logarithm {
  static HWY_INLINE V run(V x) {
    const hn::RebindToSigned<Floats> integers;
    const I bits = hn::BitCast(integers, x);
    const I from_root = hn::Sub(bits, hn::Set(integers, 0x3f3504f3));  // the bits of √½
    const I exponent = hn::ShiftRight<23>(from_root);
    const V m = hn::BitCast(Floats(), hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
    const V t = hn::Div(hn::Sub(m, set(1.0F)), hn::Add(m, set(1.0F)));
    const V square = hn::Mul(t, t);
    const V series = polynomial(square, 1 / 9.0F, 1 / 7.0F, 1 / 5.0F, 1 / 3.0F, 1.0F);
    return hn::MulAdd(hn::Mul(series, t), set(2.88539008F), hn::ConvertTo(Floats(), exponent));
  }
  static bool usual(float x) { return x >= std::numeric_limits<float>::min() && std::isfinite(x); }
  static float exact(float x) { return static_cast<float>(std::log2(double{x})); }
};

/// 1 − 2 / (e^2x + 1), and its series near 0.
struct HyperbolicTangent {
  static HWY_INLINE V run(V x) {
    const V magnitude = hn::Abs(x), square = hn::Mul(x, x);
    const V power = hn::Mul(hn::Min(magnitude, set(20.0F)), set(2.88539008F));  // 2x / ln(2)
    const V whole = hn::Round(power), rest = hn::Sub(power, whole);
    const V fraction =
        polynomial(rest, 1.3333558e-3F, 9.6181291e-3F, 5.5504109e-2F, 2.4022651e-1F, 6.9314718e-1F, 1.0F);
    const hn::RebindToSigned<Floats> integers;
    const I scale = hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(integers, whole), hn::Set(integers, 127)));
    const V exponential = hn::Mul(fraction, hn::BitCast(Floats(), scale));
    const V far = hn::Sub(set(1.0F), hn::Div(set(2.0F), hn::Add(exponential, set(1.0F))));
    const V odd = polynomial(square, 62 / 2835.0F, -17 / 315.0F, 2 / 15.0F, -1 / 3.0F);
    const V near = hn::MulAdd(hn::Mul(odd, square), magnitude, magnitude);
    return hn::CopySign(hn::IfThenElse(hn::Lt(magnitude, set(0.6F)), near, far), x);
  }
  static bool usual(float x) { return x == x; }
  static float exact(float x) { return x; }
};

/// Applies the vector form, and the exact form to lanes with special arguments.
template <class Op>
const Operation* Approximate(Warp& warp, const Operation* operation, uint32_t mask) {
  const Floats d;
  const bool flushes = modifiers_of(*operation).flush;
  HWY_ALIGN float result[32], argument[32];
  const float* a = warp.source<float>(operation->a);
  for (size_t i = 0; i < 32; i += hn::Lanes(d)) {
    const V x = flushes ? flush(hn::Load(d, a + i)) : hn::Load(d, a + i);
    hn::Store(x, d, argument + i);
    hn::Store(Op::run(x), d, result + i);
  }
  uint32_t unusual = 0;
  for (size_t i = 0; i < 32; ++i) unusual |= (Op::usual(argument[i]) ? 0U : 1U) << i;
  for (uint32_t left = unusual & mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    result[lane] = Op::exact(argument[lane]);
  }
  for (size_t i = 0; i < 32; i += hn::Lanes(d)) {
    V value = hn::Load(d, result + i);
    if (flushes) value = flush(value);
    hn::Store(hn::IfThenElse(hn::Eq(value, value), value, nan()), d, result + i);
  }
  store_lanes(warp.destination<float>(operation->dst), result, mask);
  return operation + 1;
}

std::span<const IsaRow> all_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_APPROXIMATE
#include "engine/sim/program/isa.def"
#undef ISA_APPROXIMATE
#undef ISA
  };
  return kRows;
}

}  // namespace approximate

std::span<const IsaRow> rows_of_approximate() { return approximate::all_rows(); }

}  // namespace HWY_NAMESPACE
}  // namespace tilescope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope {

HWY_EXPORT(rows_of_approximate);
std::span<const IsaRow> approximate_rows() { return HWY_DYNAMIC_DISPATCH(rows_of_approximate)(); }

}  // namespace tilescope
#endif
