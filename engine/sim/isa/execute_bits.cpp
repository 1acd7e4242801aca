// Logic, shifts and bit fields (PTX ISA 9.0, sections 9.7.1, 9.7.8 and 9.7.9).
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "engine/sim/isa/simd_targets.hpp"
#include "engine/sim/program/isa.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/sim/isa/execute_bits.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, for each instruction set.
#include "engine/sim/isa/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilescope {
namespace HWY_NAMESPACE {
namespace bits {

struct BitAnd {
  template <class D, class V>
  static HWY_INLINE V run(D, V a, V b) {
    return hn::And(a, b);
  }
};
struct BitOr {
  template <class D, class V>
  static HWY_INLINE V run(D, V a, V b) {
    return hn::Or(a, b);
  }
};
struct BitXor {
  template <class D, class V>
  static HWY_INLINE V run(D, V a, V b) {
    return hn::Xor(a, b);
  }
};
struct BitNot {
  template <class D, class V>
  static HWY_INLINE V run(D, V a) {
    return hn::Not(a);
  }
};
struct LogicalNot {
  template <class T>
  static HWY_INLINE T run(T a) {
    return a == 0 ? 1 : 0;
  }
};

/// Shift amounts beyond the width shift everything out.
struct ShiftLeft {
  template <class T>
  static HWY_INLINE T run(T a, uint32_t b) {
    return static_cast<T>(b < 8 * sizeof(T) ? a << b : 0);
  }
};
struct ShiftRight {
  template <class T>
  static HWY_INLINE T run(T a, uint32_t b) {
    constexpr uint32_t kBits = 8 * sizeof(T);
    if (std::is_signed_v<T>) return static_cast<T>(a >> (b < kBits ? b : kBits - 1));
    return static_cast<T>(b < kBits ? a >> b : 0);
  }
};
template <bool kWrap>
struct FunnelLeft {
  static HWY_INLINE uint32_t run(uint32_t low, uint32_t high, uint32_t amount) {
    const uint32_t shift = kWrap ? amount & 31 : amount < 32 ? amount : 32;
    return static_cast<uint32_t>((uint64_t{high} << 32 | low) << shift >> 32);
  }
};
template <bool kWrap>
struct FunnelRight {
  static HWY_INLINE uint32_t run(uint32_t low, uint32_t high, uint32_t amount) {
    const uint32_t shift = kWrap ? amount & 31 : amount < 32 ? amount : 32;
    return static_cast<uint32_t>((uint64_t{high} << 32 | low) >> shift);
  }
};

/// Any function of three bits, given by its eight results.
HWY_INLINE void combine_three(const Warp& warp, const Operation* operation, uint32_t* result) {
  const auto* a = warp.source<uint32_t>(operation->a);
  const auto* b = warp.source<uint32_t>(operation->b);
  const auto* c = warp.source<uint32_t>(operation->c);
  const uint32_t table = warp.source<uint32_t>(static_cast<uint16_t>(operation->immediate))[0];
  for (size_t i = 0; i < 32; ++i) {
    uint32_t bits = 0;
    for (uint32_t term = 0; term < 8; ++term) {
      const uint32_t wanted = 0U - (table >> term & 1);
      bits |= wanted & ((term & 4) != 0 ? a[i] : ~a[i]) & ((term & 2) != 0 ? b[i] : ~b[i]) &
              ((term & 1) != 0 ? c[i] : ~c[i]);
    }
    result[i] = bits;
  }
}
const Operation* LogicalThree(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN uint32_t result[32];
  combine_three(warp, operation, result);
  store_lanes(warp.destination<uint32_t>(operation->dst), result, mask);
  return operation + 1;
}
/// With a second result: whether the first is not 0, and/or a predicate. The fifth operand is in bits 48 to 63.
template <bool kAnd>
const Operation* LogicalThreePredicate(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN uint32_t result[32];
  combine_three(warp, operation, result);
  const uint32_t with = warp.predicate(static_cast<uint16_t>(static_cast<uint64_t>(operation->immediate) >> 48));
  uint32_t lanes = 0;
  for (size_t i = 0; i < 32; ++i) lanes |= (result[i] != 0 ? 1U : 0U) << i;
  if (operation->extra != 0) warp.set_predicate(operation->extra, kAnd ? lanes & with : lanes | with, mask);
  store_lanes(warp.destination<uint32_t>(operation->dst), result, mask);
  return operation + 1;
}

/// prmt in its default mode: each nibble selects one of eight bytes, or replicates that byte's sign.
struct Permute {
  static HWY_INLINE uint32_t run(uint32_t a, uint32_t b, uint32_t selector) {
    const uint64_t bytes = uint64_t{b} << 32 | a;
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t nibble = selector >> (4 * i) & 15;
      uint32_t byte = static_cast<uint32_t>(bytes >> (8 * (nibble & 7))) & 0xff;
      if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
      result |= byte << (8 * i);
    }
    return result;
  }
};

/// The other modes of prmt (PTX ISA 9.0, 9.7.9.7): the byte of b:a for each byte of the result, as a selector of the
/// default mode, by the two lowest bits of the selector.
using PermuteTable = std::array<uint16_t, 4>;
constexpr PermuteTable kForward4 = {0x3210, 0x4321, 0x5432, 0x6543};
constexpr PermuteTable kBackward4 = {0x5670, 0x6701, 0x7012, 0x0123};
constexpr PermuteTable kReplicate8 = {0x0000, 0x1111, 0x2222, 0x3333};
constexpr PermuteTable kClampLeft = {0x3210, 0x3211, 0x3222, 0x3333};
constexpr PermuteTable kClampRight = {0x0000, 0x1110, 0x2210, 0x3210};
constexpr PermuteTable kReplicate16 = {0x1010, 0x3232, 0x1010, 0x3232};
template <const PermuteTable& kTable>
struct PermuteMode {
  static HWY_INLINE uint32_t run(uint32_t a, uint32_t b, uint32_t selector) {
    return Permute::run(a, b, kTable[selector & 3]);
  }
};

/// The position of the n-th set bit from `base` on, upwards or downwards (PTX ISA 9.0, 9.7.1.16).
struct FindNthSet {
  static HWY_INLINE uint32_t run(uint32_t bits, uint32_t base, int32_t offset) {
    if (offset == 0) return base < 32 && (bits >> base & 1) != 0 ? base : 0xffffffff;
    uint32_t wanted = offset < 0 ? 0U - static_cast<uint32_t>(offset) : static_cast<uint32_t>(offset);
    for (uint32_t at = base; at<32; at = offset> 0 ? at + 1 : at - 1)
      if ((bits >> at & 1) != 0 && --wanted == 0) return at;
    return 0xffffffff;
  }
};

/// The lowest bits of a number, sign- or zero-extended (PTX ISA 9.0, 9.7.1.19).
template <bool kSigned, bool kWrap>
struct Extend {
  static HWY_INLINE uint32_t run(uint32_t a, uint32_t count) {
    const uint32_t bits = count & 31;
    const bool all = !kWrap && count >= 32;
    const uint32_t above = all ? 0 : ~0U << bits;
    const bool sign = kSigned && bits != 0 && !all && (a >> (bits - 1) & 1) != 0;
    return (a & ~above) | (sign ? above : 0);
  }
};

struct CountOnes {
  template <class T>
  static HWY_INLINE uint32_t run(T a) {
    return static_cast<uint32_t>(std::popcount(a));
  }
};
struct CountLeadingZeros {
  template <class T>
  static HWY_INLINE uint32_t run(T a) {
    return static_cast<uint32_t>(std::countl_zero(a));
  }
};
struct ReverseBits {
  template <class T>
  static HWY_INLINE T run(T a) {
    T result = 0;
    for (size_t i = 0; i < 8 * sizeof(T); ++i) result = static_cast<T>(result << 1 | (a >> i & 1));
    return result;
  }
};
/// The position of the highest bit that differs from the sign, or the shift that moves it to the top.
template <bool kShiftAmount>
struct FindBit {
  template <class T>
  static HWY_INLINE uint32_t run(T a) {
    using U = std::make_unsigned_t<T>;
    const U bits = static_cast<U>(std::is_signed_v<T> && a < 0 ? ~a : a);
    if (bits == 0) return 0xffffffff;
    const auto zeros = static_cast<uint32_t>(std::countl_zero(bits));
    return kShiftAmount ? zeros : static_cast<uint32_t>(8 * sizeof(T) - 1) - zeros;
  }
};
/// A position or length of a bit field. The 32-bit instructions use its low 8 bits; the 64-bit ones, which are
/// instruction sequences on the hardware, use all bits (measured on an H200).
template <class T>
HWY_INLINE uint32_t field_operand(uint32_t value) {
  return sizeof(T) == 4 ? value & 0xff : value < 0xff ? value : 0xff;
}
/// Bits beyond the source's end read as its sign (PTX ISA 9.0, 9.7.1.18).
struct ExtractBits {
  template <class T>
  static HWY_INLINE T run(T a, uint32_t position, uint32_t length) {
    using U = std::make_unsigned_t<T>;
    constexpr uint32_t kBits = 8 * sizeof(T);
    const uint32_t from = field_operand<T>(position), count = field_operand<T>(length);
    if (count == 0) return 0;
    const uint32_t sign_at = from + count - 1 < kBits ? from + count - 1 : kBits - 1;
    const bool sign = std::is_signed_v<T> && (static_cast<U>(a) >> sign_at & 1) != 0;
    const U shifted = from < kBits ? static_cast<U>(static_cast<U>(a) >> from) : 0;
    // Bits inside the source; those above them are copies of the sign.
    const uint32_t there = from >= kBits ? 0 : count < kBits - from ? count : kBits - from;
    const U kept = there >= kBits ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << there) - 1);
    return static_cast<T>((shifted & kept) | (sign ? static_cast<U>(~kept) : U{0}));
  }
};
struct InsertBits {
  template <class T>
  static HWY_INLINE T run(T a, T b, uint32_t position, uint32_t length) {
    constexpr uint32_t kBits = 8 * sizeof(T);
    const uint32_t at = field_operand<T>(position), count = field_operand<T>(length);
    if (count == 0 || at >= kBits) return b;
    const T ones = count >= kBits ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << count) - 1);
    const T field = static_cast<T>(ones << at);
    return static_cast<T>((b & ~field) | (static_cast<T>(a << at) & field));
  }
};
template <bool kWrap>
struct MakeMask {
  static HWY_INLINE uint32_t run(uint32_t position, uint32_t length) {
    const uint32_t at = kWrap ? position & 31 : position, count = kWrap ? length & 31 : length;
    if (at >= 32) return 0;
    const uint32_t ones = count >= 32 ? ~0U : (1U << count) - 1;
    return ones << at;
  }
};

std::span<const IsaRow> all_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_BITS
#include "engine/sim/program/isa.def"
#undef ISA_BITS
#undef ISA
  };
  return kRows;
}

}  // namespace bits

std::span<const IsaRow> rows_of_bits() { return bits::all_rows(); }

}  // namespace HWY_NAMESPACE
}  // namespace tilescope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope {

HWY_EXPORT(rows_of_bits);
std::span<const IsaRow> bit_rows() { return HWY_DYNAMIC_DISPATCH(rows_of_bits)(); }

}  // namespace tilescope
#endif
