// Floating-point arithmetic of f32 and f64 (PTX ISA 9.0, section 9.7.3).
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/sim/isa/simd_targets.hpp"
#include "engine/sim/program/formats.hpp"
#include "engine/sim/program/isa.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/sim/isa/execute_float.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, for each instruction set.
#include "engine/sim/isa/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilescope {
namespace HWY_NAMESPACE {
namespace floating {

constexpr uint64_t kQuietBit = uint64_t{1} << 51;  // for f64

template <class V>
using LaneOf = hn::TFromV<V>;

/// Every f32 operation gives the same NaN on the GPU. f64 keeps an operand's payload: preferably the second one's,
/// otherwise like the host.
template <class D, class V>
HWY_INLINE V canonical(D d, V value, V second) {
  const hn::RebindToUnsigned<D> bits;
  if constexpr (sizeof(LaneOf<V>) == 4) {
    return hn::IfThenElse(hn::Eq(value, value), value, hn::BitCast(d, hn::Set(bits, 0x7fffffffU)));
  } else {
    const auto quieted = hn::Or(second, hn::BitCast(d, hn::Set(bits, kQuietBit)));
    return hn::IfThenElse(hn::Eq(second, second), value, quieted);
  }
}

struct AddFloat {
  template <class D, class V>
  static HWY_INLINE V run(D d, V a, V b) {
    return canonical(d, hn::Add(a, b), b);
  }
};
struct SubtractFloat {
  template <class D, class V>
  static HWY_INLINE V run(D d, V a, V b) {
    return canonical(d, hn::Sub(a, b), b);
  }
};
struct MultiplyFloat {
  template <class D, class V>
  static HWY_INLINE V run(D d, V a, V b) {
    return canonical(d, hn::Mul(a, b), b);
  }
};
struct FusedFloat {
  template <class D, class V>
  static HWY_INLINE V run(D d, V a, V b, V c) {
#if HWY_TARGET == HWY_SCALAR
    return canonical(d, hn::Set(d, std::fma(hn::GetLane(a), hn::GetLane(b), hn::GetLane(c))), b);
#else
    return canonical(d, hn::MulAdd(a, b, c), b);
#endif
  }
};

template <class D, class V>
HWY_INLINE V flush_vector(D d, V value) {
  const auto smallest = hn::Set(d, std::numeric_limits<LaneOf<V>>::min());
  return hn::IfThenElse(hn::Lt(hn::Abs(value), smallest), hn::CopySign(hn::Zero(d), value), value);
}
/// .ftz: subnormal inputs and results become zeros with their sign.
template <class Op>
struct Flushed {
  template <class D, class... V>
  static HWY_INLINE auto run(D d, V... operands) {
    return flush_vector(d, Op::run(d, flush_vector(d, operands)...));
  }
};

/// Whether a result equal to the smallest normal number would be smaller if rounded with unbounded exponents: the GPU
/// flushes by that criterion.
HWY_INLINE bool underflows(double exact_to_odd, Rounding rounding) {
  ExactNumber scaled = exact_of(exact_to_odd);
  scaled.exponent += 64;
  return (round_to_format(scaled, kFormat32, rounding) >> kFormat32.fraction_bits & 0xff) < 65;
}
struct ExactProduct {
  static HWY_INLINE double run(float a, float b) { return double{a} * double{b}; }
};
struct ExactFused {
  static HWY_INLINE double run(float a, float b, float c) { return add_to_odd(double{a} * double{b}, c); }
};
/// The same for products, whose last bits may be lost for the smallest results.
template <class Op, class Exact>
struct FlushedExactly {
  template <class D, class V, class... Rest>
  static HWY_INLINE V run(D d, V a, Rest... rest) {
    const V result = Flushed<Op>::run(d, a, rest...);
    const auto smallest = hn::Eq(hn::Abs(result), hn::Set(d, std::numeric_limits<float>::min()));
    return HWY_LIKELY(hn::AllFalse(d, smallest)) ? result : recompute(d, result, a, rest...);
  }

 private:
  template <class D, class V, class... Rest>
  static HWY_NOINLINE V recompute(D d, V result, Rest... operands) {
    HWY_ALIGN float values[32], inputs[3][32];
    size_t count = 0;
    hn::Store(result, d, values);
    (hn::Store(flush_vector(d, operands), d, inputs[count++]), ...);
    for (size_t i = 0; i < hn::Lanes(d); ++i) {
      double exact = 0;
      if constexpr (sizeof...(Rest) == 2)
        exact = Exact::run(inputs[0][i], inputs[1][i]);
      else
        exact = Exact::run(inputs[0][i], inputs[1][i], inputs[2][i]);
      if (std::abs(values[i]) == std::numeric_limits<float>::min() && underflows(exact, Rounding::nearest_even))
        values[i] = std::copysign(0.0F, values[i]);
    }
    return hn::Load(d, values);
  }
};

template <class T>
HWY_INLINE T flush(const OperationModifiers& modifiers, T value) {
  const bool subnormal = std::abs(value) < std::numeric_limits<T>::min();
  return modifiers.flush && subnormal ? std::copysign(T{0}, value) : value;
}
/// The same for one number: `exact` is called only if it matters.
template <class T, class Exact>
HWY_INLINE T flush_exactly(const OperationModifiers& modifiers, T result, const Exact& exact) {
  if constexpr (sizeof(T) == 4) {
    const bool smallest = std::abs(result) == std::numeric_limits<float>::min();
    if (modifiers.flush && smallest && underflows(exact(), modifiers.rounding)) return std::copysign(0.0F, result);
  }
  return result;
}
template <class T>
HWY_INLINE T finish(const OperationModifiers& modifiers, T value) {
  if (modifiers.saturate) return value > 0 ? (value < 1 ? flush(modifiers, value) : T{1}) : T{0};
  if (value != value && sizeof(T) == 4) return static_cast<T>(std::bit_cast<float>(0x7fffffffU));
  return flush(modifiers, value);
}

/// For two NaNs, f64 takes the second one's payload, made quiet.
HWY_INLINE float second_nan(float result, float) { return result; }
HWY_INLINE double second_nan(double result, double second) {
  return second == second ? result : std::bit_cast<double>(std::bit_cast<uint64_t>(second) | kQuietBit);
}

/// The host's arithmetic in a different rounding mode, for f64; f32 goes through f64, rounded to odd.
class HostRounding {
 public:
  explicit HostRounding(Rounding rounding) : before_(std::fegetround()) {
    std::fesetround(rounding == Rounding::zero             ? FE_TOWARDZERO
                    : rounding == Rounding::minus_infinity ? FE_DOWNWARD
                    : rounding == Rounding::plus_infinity  ? FE_UPWARD
                                                           : FE_TONEAREST);
  }
  ~HostRounding() { std::fesetround(before_); }
  HostRounding(const HostRounding&) = delete;
  HostRounding& operator=(const HostRounding&) = delete;

 private:
  int before_;
};

HWY_INLINE float round_down_to_float(double exact_to_odd, Rounding rounding) {
  return std::bit_cast<float>(static_cast<uint32_t>(round_to_format(exact_of(exact_to_odd), kFormat32, rounding)));
}

/// x + y for zeros of opposite sign, or numbers that cancel, is −0 only when rounding down.
HWY_INLINE double zero_of_sum(double sum, double x, double y, Rounding rounding) {
  const bool cancelled = sum == 0 && !(x == 0 && y == 0 && std::signbit(x) == std::signbit(y));
  return cancelled ? (rounding == Rounding::minus_infinity ? -0.0 : 0.0) : sum;
}

struct AddExactly {
  static HWY_INLINE float run(Rounding rounding, float a, float b) {
    return round_down_to_float(zero_of_sum(add_to_odd(a, b), a, b, rounding), rounding);
  }
  static HWY_NOINLINE double run(Rounding rounding, double a, double b) {
    const HostRounding scope(rounding);
    const volatile double x = a, y = b;
    const volatile double result = x + y;
    return result;
  }
};
struct MultiplyExactly {
  static HWY_INLINE float run(Rounding rounding, float a, float b) {
    return round_down_to_float(double{a} * double{b}, rounding);
  }
  static HWY_NOINLINE double run(Rounding rounding, double a, double b) {
    const HostRounding scope(rounding);
    const volatile double x = a, y = b;
    const volatile double result = x * y;
    return result;
  }
};
struct FuseExactly {
  static HWY_INLINE float run(Rounding rounding, float a, float b, float c) {
    const double product = double{a} * double{b};
    return round_down_to_float(zero_of_sum(add_to_odd(product, c), product, c, rounding), rounding);
  }
  static HWY_NOINLINE double run(Rounding rounding, double a, double b, double c) {
    const HostRounding scope(rounding);
    const volatile double x = a, y = b, z = c;
    const volatile double result = std::fma(x, y, z);
    return result;
  }
};
struct DivideExactly {
  static HWY_INLINE double to_odd_double(float a, float b) {
    const double quotient = double{a} / double{b};
    const double rest = std::fma(-quotient, double{b}, double{a});
    return std::isfinite(rest) ? to_odd(quotient, b < 0 ? -rest : rest) : quotient;
  }
  static HWY_INLINE float run(Rounding rounding, float a, float b) {
    return round_down_to_float(to_odd_double(a, b), rounding);
  }
  static HWY_NOINLINE double run(Rounding rounding, double a, double b) {
    const HostRounding scope(rounding);
    const volatile double x = a, y = b;
    const volatile double result = x / y;
    return result;
  }
};
struct RootExactly {
  static HWY_INLINE float run(Rounding rounding, float a) {
    const double root = std::sqrt(double{a});
    const double rest = std::fma(-root, root, double{a});
    return round_down_to_float(std::isfinite(rest) ? to_odd(root, rest) : root, rounding);
  }
  static HWY_NOINLINE double run(Rounding rounding, double a) {
    const HostRounding scope(rounding);
    const volatile double x = a;
    const volatile double result = std::sqrt(x);
    return result;
  }
};

struct RoundedAdd {
  template <class T>
  static HWY_INLINE T run(const OperationModifiers& m, T a, T b) {
    const T x = flush(m, a), y = flush(m, b);
    return finish(m, m.rounding == Rounding::nearest_even ? second_nan(x + y, y)
                                                          : second_nan(AddExactly::run(m.rounding, x, y), y));
  }
};
struct RoundedSubtract {
  template <class T>
  static HWY_INLINE T run(const OperationModifiers& m, T a, T b) {
    return RoundedAdd::run(m, a, b == b ? -b : b);
  }
};
struct RoundedMultiply {
  template <class T>
  static HWY_INLINE T run(const OperationModifiers& m, T a, T b) {
    const T x = flush(m, a), y = flush(m, b);
    const T result = m.rounding == Rounding::nearest_even ? x * y : MultiplyExactly::run(m.rounding, x, y);
    const auto exact = [&] { return ExactProduct::run(static_cast<float>(x), static_cast<float>(y)); };
    return finish(m, second_nan(flush_exactly(m, result, exact), y));
  }
};
struct RoundedFused {
  template <class T>
  static HWY_INLINE T run(const OperationModifiers& m, T a, T b, T c) {
    const T x = flush(m, a), y = flush(m, b), z = flush(m, c);
    const T result = m.rounding == Rounding::nearest_even ? std::fma(x, y, z) : FuseExactly::run(m.rounding, x, y, z);
    const auto exact = [&] {
      return ExactFused::run(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
    };
    return finish(m, second_nan(flush_exactly(m, result, exact), y));
  }
};
struct RoundedDivide {
  template <class T>
  static HWY_INLINE T run(const OperationModifiers& m, T a, T b) {
    const T x = flush(m, a), y = flush(m, b);
    const T result = m.rounding == Rounding::nearest_even ? x / y : DivideExactly::run(m.rounding, x, y);
    const auto exact = [&] { return DivideExactly::to_odd_double(static_cast<float>(x), static_cast<float>(y)); };
    return finish(m, flush_exactly(m, result, exact));
  }
};
struct RoundedReciprocal {
  template <class T>
  static HWY_INLINE T run(const OperationModifiers& m, T a) {
    return RoundedDivide::run(m, T{1}, a);
  }
};
struct RoundedRoot {
  template <class T>
  static HWY_INLINE T run(const OperationModifiers& m, T a) {
    const T x = flush(m, a);
    return finish(m, m.rounding == Rounding::nearest_even ? std::sqrt(x) : RootExactly::run(m.rounding, x));
  }
};
struct ReciprocalRoot {
  template <class T>
  static HWY_INLINE T run(const OperationModifiers& m, T a) {
    return finish(m, static_cast<T>(1.0 / std::sqrt(double{flush(m, a)})));
  }
};

/// 2^x within 2^-22.5 (PTX ISA 9.0, 9.7.3.20): the exponent, and a Taylor polynomial for the remainder.
struct Exponential {
  static HWY_INLINE float run(const OperationModifiers& m, float value) {
    const float x = flush(m, value);
    const float bounded = x > 200.0F ? 200.0F : x < -200.0F ? -200.0F : x == x ? x : 0.0F;
    const float whole = std::nearbyint(bounded);
    const float rest = bounded - whole;
    float sum = 1.5252734e-5F;  // ln(2)^k / k!, k = 7 … 1
    sum = sum * rest + 1.5403530e-4F;
    sum = sum * rest + 1.3333558e-3F;
    sum = sum * rest + 9.6181291e-3F;
    sum = sum * rest + 5.5504109e-2F;
    sum = sum * rest + 2.4022651e-1F;
    sum = sum * rest + 6.9314718e-1F;
    sum = sum * rest + 1.0F;
    // In two factors, so that subnormal results round once and large ones overflow.
    const auto exponent = static_cast<int32_t>(whole);
    const int32_t half = exponent / 2;
    const float first = std::bit_cast<float>(static_cast<uint32_t>(half + 127) << 23);
    const float second = std::bit_cast<float>(static_cast<uint32_t>(exponent - half + 127) << 23);
    return finish(m, x == x ? sum * first * second : x);
  }
};
/// −0 is less than +0. For a number and a NaN the result is the number, unless kNan requests the NaN.
template <bool kNan>
struct FloatMinimum {
  template <class T>
  static HWY_INLINE T run(const OperationModifiers& m, T a, T b) {
    const T x = flush(m, a), y = flush(m, b);
    if (x != x) return finish(m, second_nan(kNan ? x : y, y));
    if (y != y) return finish(m, kNan ? y : x);
    return x < y || (x == y && std::signbit(x)) ? x : y;
  }
};
template <bool kNan>
struct FloatMaximum {
  template <class T>
  static HWY_INLINE T run(const OperationModifiers& m, T a, T b) {
    const T x = flush(m, a), y = flush(m, b);
    if (x != x) return finish(m, second_nan(kNan ? x : y, y));
    if (y != y) return finish(m, kNan ? y : x);
    return x > y || (x == y && !std::signbit(x)) ? x : y;
  }
};

/// .xorsign.abs: the magnitudes are compared, and the result's sign is the exclusive or of the operands' signs.
template <class Op>
struct ExclusiveSign {
  static HWY_INLINE float run(const OperationModifiers& m, float a, float b) {
    const float result = Op::run(m, std::abs(a), std::abs(b));
    return result == result && std::signbit(a) != std::signbit(b) ? -result : result;
  }
};

template <class U>
constexpr U kSignBit = U{1} << (8 * sizeof(U) - 1);
template <class U>
constexpr U kInfinity = sizeof(U) == 4 ? U{0x7f800000} : static_cast<U>(kFormat64.infinity());
/// abs and neg of a NaN: for f64, the same NaN with the quiet bit set.
template <class U>
HWY_INLINE U quiet(U nan) {
  return sizeof(U) == 4 ? U{0x7fffffff} : static_cast<U>(nan | kQuietBit);
}
struct FloatAbsolute {
  template <class U>
  static HWY_INLINE U run(const OperationModifiers& m, U a) {
    const U magnitude = a & static_cast<U>(~kSignBit<U>);
    if (magnitude > kInfinity<U>) return quiet(a);
    return m.flush && sizeof(U) == 4 && magnitude < 0x00800000 ? 0 : magnitude;
  }
};
struct FloatNegate {
  template <class U>
  static HWY_INLINE U run(const OperationModifiers& m, U a) {
    const U negated = a ^ kSignBit<U>;
    const U magnitude = a & static_cast<U>(~kSignBit<U>);
    if (magnitude > kInfinity<U>) return quiet(a);
    return m.flush && sizeof(U) == 4 && magnitude < 0x00800000 ? negated & kSignBit<U> : negated;
  }
};
/// copysign d, a, b: the sign of a, the magnitude of b.
struct CopySign {
  template <class U>
  static HWY_INLINE U run(U a, U b) {
    return static_cast<U>((a & kSignBit<U>) | (b & static_cast<U>(~kSignBit<U>)));
  }
};

struct IsFinite {
  template <class T>
  static HWY_INLINE bool run(T a) {
    return std::isfinite(a);
  }
};
struct IsInfinite {
  template <class T>
  static HWY_INLINE bool run(T a) {
    return std::isinf(a);
  }
};
struct IsNumber {
  template <class T>
  static HWY_INLINE bool run(T a) {
    return a == a;
  }
};
struct IsNotANumber {
  template <class T>
  static HWY_INLINE bool run(T a) {
    return a != a;
  }
};
/// Zero counts as normal.
struct IsNormal {
  template <class T>
  static HWY_INLINE bool run(T a) {
    return std::isnormal(a) || a == 0;
  }
};
struct IsSubnormal {
  template <class T>
  static HWY_INLINE bool run(T a) {
    return std::fpclassify(a) == FP_SUBNORMAL;
  }
};
template <class T, class Op>
const Operation* TestFloat(Warp& warp, const Operation* operation, uint32_t mask) {
  const T* a = warp.source<T>(operation->a);
  uint32_t lanes = 0;
  for (size_t i = 0; i < 32; ++i) lanes |= (Op::run(a[i]) ? 1U : 0U) << i;
  warp.set_predicate(operation->dst, lanes, mask);
  return operation + 1;
}

std::span<const IsaRow> all_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_FLOAT
#include "engine/sim/program/isa.def"
#undef ISA_FLOAT
#undef ISA
  };
  return kRows;
}

}  // namespace floating

std::span<const IsaRow> rows_of_float() { return floating::all_rows(); }

}  // namespace HWY_NAMESPACE
}  // namespace tilescope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope {

HWY_EXPORT(rows_of_float);
std::span<const IsaRow> float_rows() { return HWY_DYNAMIC_DISPATCH(rows_of_float)(); }

}  // namespace tilescope
#endif
