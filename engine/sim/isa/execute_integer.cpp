// Integer arithmetic (PTX ISA 9.0, sections 9.7.1 and 9.7.2).
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "engine/sim/isa/simd_targets.hpp"
#include "engine/sim/program/isa.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/sim/isa/execute_integer.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, for each instruction set.
#include "engine/sim/isa/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilescope {
namespace HWY_NAMESPACE {
namespace integer {

__extension__ typedef __int128 Signed128;
__extension__ typedef unsigned __int128 Unsigned128;

template <class T>
struct Wider;
template <>
struct Wider<int16_t> {
  using type = int32_t;
};
template <>
struct Wider<uint16_t> {
  using type = uint32_t;
};
template <>
struct Wider<int32_t> {
  using type = int64_t;
};
template <>
struct Wider<uint32_t> {
  using type = uint64_t;
};
template <>
struct Wider<int64_t> {
  using type = Signed128;
};
template <>
struct Wider<uint64_t> {
  using type = Unsigned128;
};

/// Arithmetic modulo 2^bits, without signed overflow and without promotion to int.
template <class T>
using Modulo = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
template <class T>
HWY_INLINE Modulo<T> modulo(T value) {
  return static_cast<Modulo<T>>(value);
}

struct Add {
  template <class D, class V>
  static HWY_INLINE V run(D, V a, V b) {
    return hn::Add(a, b);
  }
};
struct Subtract {
  template <class D, class V>
  static HWY_INLINE V run(D, V a, V b) {
    return hn::Sub(a, b);
  }
};
struct MultiplyVector {
  template <class D, class V>
  static HWY_INLINE V run(D, V a, V b) {
    return hn::Mul(a, b);
  }
};
struct MultiplyAddVector {
  template <class D, class V>
  static HWY_INLINE V run(D, V a, V b, V c) {
    return hn::Add(hn::Mul(a, b), c);
  }
};

struct AddSaturated {
  static HWY_INLINE int32_t run(int32_t a, int32_t b) {
    const int64_t sum = int64_t{a} + b;
    return static_cast<int32_t>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
  }
};
struct SubtractSaturated {
  static HWY_INLINE int32_t run(int32_t a, int32_t b) {
    const int64_t difference = int64_t{a} - b;
    return static_cast<int32_t>(difference > INT32_MAX ? INT32_MAX : difference < INT32_MIN ? INT32_MIN : difference);
  }
};

/// The extended-precision additions, which read and set the carry flag. They are emitted in sequences, so all set it.
template <class T, bool kCarryIn, bool kSubtract>
const Operation* Carry2(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN T result[32];
  const T* a = warp.source<T>(operation->a);
  const T* b = warp.source<T>(operation->b);
  uint32_t carries = 0;
  for (size_t i = 0; i < 32; ++i) {
    const bool borrow_in = kSubtract && kCarryIn && (warp.carry >> i & 1) != 0;
    const T carry_in = kCarryIn && (kSubtract ? borrow_in : (warp.carry >> i & 1) != 0) ? 1 : 0;
    const auto wide =
        kSubtract ? static_cast<Unsigned128>(a[i]) - b[i] - carry_in : static_cast<Unsigned128>(a[i]) + b[i] + carry_in;
    result[i] = static_cast<T>(wide);
    carries |= static_cast<uint32_t>(wide >> (8 * sizeof(T)) & 1) << i;
  }
  warp.carry = (warp.carry & ~mask) | (carries & mask);
  store_lanes(warp.destination<T>(operation->dst), result, mask);
  return operation + 1;
}

struct MultiplyLow {
  template <class T>
  static HWY_INLINE T run(T a, T b) {
    return static_cast<T>(modulo(a) * modulo(b));
  }
};
struct MultiplyHigh {
  template <class T>
  static HWY_INLINE T run(T a, T b) {
    using W = typename Wider<T>::type;
    return static_cast<T>(static_cast<W>(static_cast<W>(a) * static_cast<W>(b)) >> (8 * sizeof(T)));
  }
};
struct MultiplyWide {
  template <class T>
  static HWY_INLINE typename Wider<T>::type run(T a, T b) {
    using W = typename Wider<T>::type;
    return static_cast<W>(static_cast<W>(a) * static_cast<W>(b));
  }
};
struct MultiplyLowAdd {
  template <class T>
  static HWY_INLINE T run(T a, T b, T c) {
    return static_cast<T>(modulo(a) * modulo(b) + modulo(c));
  }
};
/// A product's low or high half plus a third operand, with the carry.
template <class T, bool kCarryIn, bool kHigh>
const Operation* CarryMad(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN T result[32];
  const T* a = warp.source<T>(operation->a);
  const T* b = warp.source<T>(operation->b);
  const T* c = warp.source<T>(operation->c);
  uint32_t carries = 0;
  for (size_t i = 0; i < 32; ++i) {
    using U = std::make_unsigned_t<T>;
    const T half = kHigh ? MultiplyHigh::run(a[i], b[i]) : MultiplyLow::run(a[i], b[i]);
    const auto wide =
        static_cast<Unsigned128>(static_cast<U>(half)) + static_cast<U>(c[i]) + (kCarryIn ? warp.carry >> i & 1 : 0);
    result[i] = static_cast<T>(wide);
    carries |= static_cast<uint32_t>(wide >> (8 * sizeof(T)) & 1) << i;
  }
  warp.carry = (warp.carry & ~mask) | (carries & mask);
  store_lanes(warp.destination<T>(operation->dst), result, mask);
  return operation + 1;
}
struct MultiplyHighAdd {
  template <class T>
  static HWY_INLINE T run(T a, T b, T c) {
    return static_cast<T>(modulo(MultiplyHigh::run(a, b)) + modulo(c));
  }
};
struct MultiplyWideAdd {
  template <class T, class W>
  static HWY_INLINE W run(T a, T b, W c) {
    return static_cast<W>(modulo(static_cast<W>(MultiplyWide::run(a, b))) + modulo(c));
  }
};
struct Multiply24 {
  static HWY_INLINE int32_t run(int32_t a, int32_t b) {
    const uint32_t left = static_cast<uint32_t>(static_cast<int32_t>(static_cast<uint32_t>(a) << 8) >> 8);
    const uint32_t right = static_cast<uint32_t>(static_cast<int32_t>(static_cast<uint32_t>(b) << 8) >> 8);
    return static_cast<int32_t>(left * right);
  }
  static HWY_INLINE uint32_t run(uint32_t a, uint32_t b) { return (a & 0xffffff) * (b & 0xffffff); }
};
/// Bits 16 to 47 of the 48-bit product.
struct Multiply24High {
  static HWY_INLINE int32_t run(int32_t a, int32_t b) {
    const int64_t left = static_cast<int32_t>(static_cast<uint32_t>(a) << 8) >> 8;
    const int64_t right = static_cast<int32_t>(static_cast<uint32_t>(b) << 8) >> 8;
    return static_cast<int32_t>(left * right >> 16);
  }
  static HWY_INLINE uint32_t run(uint32_t a, uint32_t b) {
    return static_cast<uint32_t>(uint64_t{a & 0xffffff} * (b & 0xffffff) >> 16);
  }
};
struct Multiply24Add {
  template <class T>
  static HWY_INLINE T run(T a, T b, T c) {
    return static_cast<T>(modulo(Multiply24::run(a, b)) + modulo(c));
  }
};
struct Multiply24HighAdd {
  template <class T>
  static HWY_INLINE T run(T a, T b, T c) {
    return static_cast<T>(modulo(Multiply24High::run(a, b)) + modulo(c));
  }
};
struct MultiplyHighAddSaturated {
  static HWY_INLINE int32_t run(int32_t a, int32_t b, int32_t c) {
    return AddSaturated::run(MultiplyHigh::run(a, b), c);
  }
};
struct Multiply24HighAddSaturated {
  static HWY_INLINE int32_t run(int32_t a, int32_t b, int32_t c) {
    return AddSaturated::run(Multiply24High::run(a, b), c);
  }
};

/// Division by zero gives all ones on the GPU, and so does its remainder; the most negative number divided by −1 is
/// itself.
struct Divide {
  template <class T>
  static HWY_INLINE T run(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(Modulo<T>{0} - modulo(a));
    return static_cast<T>(a / b);
  }
};
struct Remainder {
  template <class T>
  static HWY_INLINE T run(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};

struct Minimum {
  template <class T>
  static HWY_INLINE T run(T a, T b) {
    return a < b ? a : b;
  }
};
struct Maximum {
  template <class T>
  static HWY_INLINE T run(T a, T b) {
    return a > b ? a : b;
  }
};
struct MinimumRelu {
  static HWY_INLINE int32_t run(const OperationModifiers& modifiers, int32_t a, int32_t b) {
    const int32_t smaller = Minimum::run(a, b);
    return modifiers.relu && smaller < 0 ? 0 : smaller;
  }
};
struct MaximumRelu {
  static HWY_INLINE int32_t run(const OperationModifiers& modifiers, int32_t a, int32_t b) {
    const int32_t larger = Maximum::run(a, b);
    return modifiers.relu && larger < 0 ? 0 : larger;
  }
};
struct Negate {
  template <class T>
  static HWY_INLINE T run(T a) {
    return static_cast<T>(Modulo<T>{0} - modulo(a));
  }
};
struct Absolute {
  template <class T>
  static HWY_INLINE T run(T a) {
    return a < 0 ? Negate::run(a) : a;
  }
};
struct AbsoluteDifference {
  template <class T>
  static HWY_INLINE T run(T a, T b, T c) {
    const Modulo<T> difference = a < b ? modulo(b) - modulo(a) : modulo(a) - modulo(b);
    return static_cast<T>(difference + modulo(c));
  }
};
template <class A, class B>
struct Dot4 {
  static HWY_INLINE uint32_t run(uint32_t a, uint32_t b, uint32_t c) {
    for (int byte = 0; byte < 4; ++byte)
      c += static_cast<uint32_t>(int32_t{static_cast<A>(a >> (8 * byte))} * int32_t{static_cast<B>(b >> (8 * byte))});
    return c;
  }
};

/// Two products of one half of a with a byte of b: bytes 0 and 1, or 2 and 3.
template <class A, class B, bool kHigh>
struct Dot2 {
  static HWY_INLINE uint32_t run(uint32_t a, uint32_t b, uint32_t c) {
    for (int half = 0; half < 2; ++half) {
      const int32_t left = static_cast<A>(a >> (16 * half));
      const int32_t right = static_cast<B>(b >> (8 * half + (kHigh ? 16 : 0)));
      c += static_cast<uint32_t>(left * right);
    }
    return c;
  }
};

struct AddModulo {
  template <class T>
  static HWY_INLINE T run(T a, T b) {
    return static_cast<T>(modulo(a) + modulo(b));
  }
};
/// Two 16-bit integers in one register.
template <class T, class Op>
struct Halves {
  static HWY_INLINE uint32_t run(uint32_t a, uint32_t b) {
    const auto low = static_cast<uint16_t>(Op::run(static_cast<T>(a), static_cast<T>(b)));
    const auto high = static_cast<uint16_t>(Op::run(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
    return uint32_t{high} << 16 | low;
  }
};
template <class Op>
struct HalvesRelu {
  static HWY_INLINE uint32_t run(const OperationModifiers& modifiers, uint32_t a, uint32_t b) {
    const uint32_t both = Halves<int16_t, Op>::run(a, b);
    return modifiers.relu ? Halves<int16_t, Maximum>::run(both, 0) : both;
  }
};

std::span<const IsaRow> all_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_INTEGER
#include "engine/sim/program/isa.def"
#undef ISA_INTEGER
#undef ISA
  };
  return kRows;
}

}  // namespace integer

std::span<const IsaRow> rows_of_integers() { return integer::all_rows(); }

}  // namespace HWY_NAMESPACE
}  // namespace tilescope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope {
HWY_EXPORT(rows_of_integers);
std::span<const IsaRow> integer_rows() { return HWY_DYNAMIC_DISPATCH(rows_of_integers)(); }

}  // namespace tilescope
#endif
