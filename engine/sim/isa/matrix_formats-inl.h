// The numbers that a matrix instruction multiplies, unpacked from 32-bit or 64-bit registers. Included once per
// instruction set (Highway).
//
// A format splits a register into kParts parts. Each part becomes one Chunk, the operand of one step of the product:
// one number, or for integers several numbers whose products the step adds up.
#if defined(TILESCOPE_MATRIX_FORMATS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_MATRIX_FORMATS_INL_H_
#undef TILESCOPE_MATRIX_FORMATS_INL_H_
#else
#define TILESCOPE_MATRIX_FORMATS_INL_H_
#endif

#include "engine/sim/isa/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilescope {
namespace HWY_NAMESPACE {
namespace matrix {

/// f16 in the low half of each element, converted to f32: the fraction is shifted into position, and a multiplication
/// adds the difference of the biases and normalises subnormals; infinities and NaNs get their exponent.
template <class D, class V>
HWY_INLINE auto widen_halves(D, V bits) {
  const D d;
  const hn::RebindToFloat<D> df;
  const auto magnitude = hn::BitCast(df, hn::ShiftLeft<13>(hn::And(bits, hn::Set(d, 0x7fffU))));
  const auto scaled = hn::Mul(magnitude, hn::Set(df, 0x1p112F));
  const auto special =
      hn::IfThenElseZero(hn::Ge(scaled, hn::Set(df, 65536.0F)), hn::BitCast(df, hn::Set(d, 0x7f800000U)));
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(d, 0x8000U)));
  return hn::Or(hn::Or(scaled, special), hn::BitCast(df, sign));
}

struct Brains {
  using Bits = uint32_t;
  using Chunk = float;
  static constexpr size_t kParts = 2;
  template <size_t kPart, class D, class V>
  static HWY_INLINE auto part(D d, V bits) {
    const hn::RebindToFloat<D> df;
    if constexpr (kPart == 0) return hn::BitCast(df, hn::ShiftLeft<16>(bits));
    if constexpr (kPart == 1) return hn::BitCast(df, hn::And(bits, hn::Set(d, 0xffff0000U)));
  }
};
struct Halves {
  using Bits = uint32_t;
  using Chunk = float;
  static constexpr size_t kParts = 2;
  template <size_t kPart, class D, class V>
  static HWY_INLINE auto part(D d, V bits) {
    return widen_halves(d, hn::ShiftRight<16 * kPart>(bits));
  }
};
/// The upper 19 bits of an f32 (PTX ISA 9.0, section 5.2.3).
struct TensorFloats {
  using Bits = uint32_t;
  using Chunk = float;
  static constexpr size_t kParts = 1;
  template <size_t kPart, class D, class V>
  static HWY_INLINE auto part(D d, V bits) {
    return hn::BitCast(hn::RebindToFloat<D>(), hn::And(bits, hn::Set(d, 0xffffe000U)));
  }
};
struct Doubles {
  using Bits = uint64_t;
  using Chunk = double;
  static constexpr size_t kParts = 1;
  template <size_t kPart, class D, class V>
  static HWY_INLINE auto part(D, V bits) {
    return hn::BitCast(hn::RebindToFloat<D>(), bits);
  }
};
/// e5m2: the upper half of an f16.
struct Eighths52 {
  using Bits = uint32_t;
  using Chunk = float;
  static constexpr size_t kParts = 4;
  template <size_t kPart, class D, class V>
  static HWY_INLINE auto part(D d, V bits) {
    return widen_halves(d, hn::ShiftLeft<8>(hn::And(hn::ShiftRight<8 * kPart>(bits), hn::Set(d, 0xffU))));
  }
};
/// e4m3: bias 7, no infinity, NaN if all bits except the sign are set.
struct Eighths43 {
  using Bits = uint32_t;
  using Chunk = float;
  static constexpr size_t kParts = 4;
  template <size_t kPart, class D, class V>
  static HWY_INLINE auto part(D d, V bits) {
    const hn::RebindToFloat<D> df;
    const auto byte = hn::ShiftRight<8 * kPart>(bits);
    const auto magnitude = hn::ShiftLeft<20>(hn::And(byte, hn::Set(d, 0x7fU)));
    const auto scaled = hn::BitCast(d, hn::Mul(hn::BitCast(df, magnitude), hn::Set(df, 0x1p120F)));
    const auto value = hn::IfThenElse(hn::Eq(magnitude, hn::Set(d, 0x7f00000U)), hn::Set(d, 0x7fffffffU), scaled);
    return hn::BitCast(df, hn::Or(value, hn::ShiftLeft<24>(hn::And(byte, hn::Set(d, 0x80U)))));
  }
};

/// Integers of kWidth bits. A chunk holds two, each widened to 16 bits: numbers i and i + kParts of a register.
template <int kWidth, bool kSigned>
struct Integers {
  using Bits = uint32_t;
  using Chunk = int32_t;
  static constexpr size_t kParts = 16 / kWidth;
  static constexpr int kDown = 16 - kWidth;
#if HWY_TARGET == HWY_SCALAR
  template <size_t kPart, class D, class V>
  static HWY_INLINE auto part(D, V bits) {
    const auto cut = [](uint32_t half) -> uint32_t {
      const auto at_top = static_cast<uint16_t>(half << (kDown - kWidth * static_cast<int>(kPart)));
      return static_cast<uint16_t>(kSigned ? static_cast<int16_t>(at_top) >> kDown : at_top >> kDown);
    };
    const uint32_t both = hn::GetLane(bits);
    return hn::Set(hn::RebindToSigned<D>(), static_cast<int32_t>(cut(both) | cut(both >> 16) << 16));
  }
#else
  template <size_t kPart, class D, class V>
  static HWY_INLINE auto part(D, V bits) {
    const hn::RebindToSigned<D> d32;
    const hn::Repartition<int16_t, D> d16;
    const hn::Repartition<uint16_t, D> du16;
    const auto at_top = hn::ShiftLeft<kDown - kWidth* static_cast<int>(kPart)>(hn::BitCast(du16, bits));
    if constexpr (kSigned)
      return hn::BitCast(d32, hn::ShiftRight<kDown>(hn::BitCast(d16, at_top)));
    else
      return hn::BitCast(d32, hn::ShiftRight<kDown>(at_top));
  }
#endif
};
struct SingleBits {
  using Bits = uint32_t;
  using Chunk = int32_t;
  static constexpr size_t kParts = 1;
  template <size_t kPart, class D, class V>
  static HWY_INLINE auto part(D, V bits) {
    return hn::BitCast(hn::RebindToSigned<D>(), bits);
  }
};

// The accumulators: step() combines a chunk of A, one of B and the sum so far; begin() gives the sum before the first
// step, end() the result after the last one; both take C.

/// Each product is exact, each sum rounded to nearest: a chain of fused multiply-adds in ascending order of k.
struct FusedSum {
  template <class D, class V>
  static HWY_INLINE V begin(D, V c) {
    return c;
  }
  template <class D, class V>
  static HWY_INLINE V step(D, V a, V b, V sum) {
    return hn::MulAdd(a, b, sum);
  }
  template <class D, class V>
  static HWY_INLINE V end(D d, V sum, V) {
    const hn::RebindToUnsigned<D> du;
    using Bits = hn::TFromD<decltype(du)>;
    constexpr Bits kNan = sizeof(Bits) == 4 ? Bits{0x7fffffff} : static_cast<Bits>(0x7ff8000000000000);
    return hn::IfThenElse(hn::IsNaN(sum), hn::BitCast(d, hn::Set(du, kNan)), sum);
  }
};
/// Integer sums are exact; the result wraps around or saturates.
template <bool kSaturate>
struct IntegerSum {
  template <class D, class V>
  static HWY_INLINE V begin(D d, V) {
    return hn::Zero(d);
  }
  template <class D, class V>
  static HWY_INLINE V end(D d, V sum, V c) {
    const V total = hn::Add(sum, c);
    if constexpr (!kSaturate) return total;
    const V overflows = hn::AndNot(hn::Xor(sum, c), hn::Xor(sum, total));  // equal signs of the operands, a different
                                                                           // one of the result
    const V limit = hn::Xor(hn::BroadcastSignBit(sum), hn::Set(d, 0x7fffffff));
    return hn::IfThenElse(hn::MaskFromVec(hn::BroadcastSignBit(overflows)), limit, total);
  }
};
template <bool kSaturate>
struct PairSum : IntegerSum<kSaturate> {
#if HWY_TARGET == HWY_SCALAR
  template <class D, class V>
  static HWY_INLINE V step(D d, V a, V b, V sum) {
    const auto x = static_cast<uint32_t>(hn::GetLane(a)), y = static_cast<uint32_t>(hn::GetLane(b));
    const auto product = [](uint32_t p, uint32_t q) { return static_cast<int16_t>(p) * static_cast<int16_t>(q); };
    return hn::Add(sum, hn::Set(d, product(x, y) + product(x >> 16, y >> 16)));
  }
#else
  template <class D, class V>
  static HWY_INLINE V step(D d, V a, V b, V sum) {
    const hn::Repartition<int16_t, D> d16;
    V odd = hn::Zero(d);
    const V even = hn::ReorderWidenMulAccumulate(d, hn::BitCast(d16, a), hn::BitCast(d16, b), sum, odd);
    return hn::RearrangeToOddPlusEven(even, odd);
  }
#endif
};
template <class D, class V>
HWY_INLINE V count_bits(D d, V bits) {
  return hn::BitCast(d, hn::PopulationCount(hn::BitCast(hn::RebindToUnsigned<D>(), bits)));
}
struct ExclusivePopulation : IntegerSum<false> {
  template <class D, class V>
  static HWY_INLINE V step(D d, V a, V b, V sum) {
    return hn::Add(sum, count_bits(d, hn::Xor(a, b)));
  }
};
struct CommonPopulation : IntegerSum<false> {
  template <class D, class V>
  static HWY_INLINE V step(D d, V a, V b, V sum) {
    return hn::Add(sum, count_bits(d, hn::And(a, b)));
  }
};

}  // namespace matrix
}  // namespace HWY_NAMESPACE
}  // namespace tilescope
HWY_AFTER_NAMESPACE();

#endif
