// Products of small matrices by a whole warp: mma.sync and wmma.mma (PTX ISA 9.0, sections 9.7.15.4 and 9.7.15.5).
//
// Lane 4·g + t holds, of the matrices D = A·B + C (g = 0 … 7, t = 0 … 3):
//
//   A      in the register of 8-row band i and depth step j   row 8·i + g, k = (4·j + t)·n … + n − 1
//   B      in the register of depth step j                    the same k, column g
//   C, D   in registers 2·i and 2·i + 1                       row 8·i + g, columns 2·t and 2·t + 1
//
// where a register holds n numbers of A or B. C and D of f16 hold both columns in one register. wmma.mma multiplies
// several matrices of this form side by side; execute_matrix_wmma.cpp loads its fragments.
//
// f16, bf16, tf32 and fp8: products are exact, and are added one by one, k ascending, to an f32 that is rounded to
// nearest each time. Tensor cores add several products at once and truncate, so results differ in the last bits: for
// each product, by at most 2^-22 of the sum of the products' magnitudes. f64 and integers are exact.
#include <cstring>
#include <utility>

#include "engine/sim/isa/aligned_warp.hpp"
#include "engine/sim/isa/simd_targets.hpp"
#include "engine/sim/program/formats.hpp"
#include "engine/sim/program/isa.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/sim/isa/execute_matrix.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, for each instruction set.
#include "engine/sim/isa/lanes-inl.h"
#include "engine/sim/isa/matrix_formats-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilescope {
namespace HWY_NAMESPACE {
namespace matrix {

template <class T>
using ColumnTag = hn::CappedTag<T, 8>;

// Code shared by many instructions is kept out of line (HWY_NOINLINE): there are more than a hundred instructions per
// instruction set, and the cost of a call is small.

/// All parts of one register, lane by lane.
template <class Format>
HWY_NOINLINE void unpack_a(const Warp& warp, uint16_t slot, typename Format::Chunk (*parts)[32]) {
  const auto* bits = warp.source<typename Format::Bits>(slot);
  const Tag<typename Format::Bits> d;
  const Tag<typename Format::Chunk> dc;
  for (size_t i = 0; i < 32; i += hn::Lanes(d)) {
    const auto vector = hn::Load(d, bits + i);
    [&]<size_t... kPart>(std::index_sequence<kPart...>) HWY_ATTR {
      (hn::Store(Format::template part<kPart>(d, vector), dc, parts[kPart] + i), ...);
    }
    (std::make_index_sequence<Format::kParts>());
  }
}

/// The parts of one register of B: for each part and t the columns 0 2 4 6 1 3 5 7, in C's order.
template <class Format>
HWY_NOINLINE void unpack_b(const Warp& warp, uint16_t slot, typename Format::Chunk (*parts)[4][8]) {
  const auto* bits = warp.source<typename Format::Bits>(slot);
  const ColumnTag<typename Format::Bits> d;
  const ColumnTag<typename Format::Chunk> dc;
  HWY_ALIGN typename Format::Bits columns[4][8];
  if constexpr (hn::MaxLanes(d) == 8) {
    static constexpr typename Format::Bits kOrder[8] = {0, 2, 4, 6, 1, 3, 5, 7};
    const auto order = hn::SetTableIndices(d, kOrder);
    hn::Vec<decltype(d)> t0, t1, t2, t3;
    hn::LoadInterleaved4(d, bits, t0, t1, t2, t3);
    hn::Store(hn::TableLookupLanes(t0, order), d, columns[0]);
    hn::Store(hn::TableLookupLanes(t1, order), d, columns[1]);
    hn::Store(hn::TableLookupLanes(t2, order), d, columns[2]);
    hn::Store(hn::TableLookupLanes(t3, order), d, columns[3]);
  } else {
    for (size_t n = 0; n < 8; ++n)
      for (size_t t = 0; t < 4; ++t) columns[t][n / 2 + n % 2 * 4] = bits[n * 4 + t];
  }
  for (size_t t = 0; t < 4; ++t) {
    for (size_t i = 0; i < 8; i += hn::Lanes(d)) {
      const auto vector = hn::Load(d, columns[t] + i);
      [&]<size_t... kPart>(std::index_sequence<kPart...>) HWY_ATTR {
        (hn::Store(Format::template part<kPart>(d, vector), dc, parts[kPart][t] + i), ...);
      }
      (std::make_index_sequence<Format::kParts>());
    }
  }
}

// Layout of C and D: the even and the odd columns of eight rows, indexed by 4·g + t.
template <class T>
struct Columns {
  HWY_ALIGN T even[32], odd[32];
};
template <class T>
struct Whole {
  using Element = T;
  static constexpr size_t kRegisters = 2;  // per eight rows
  static HWY_INLINE void load(const Warp& warp, const uint16_t* slots, Columns<T>& columns) {
    std::memcpy(columns.even, warp.source<T>(slots[0]), sizeof(columns.even));
    std::memcpy(columns.odd, warp.source<T>(slots[1]), sizeof(columns.odd));
  }
  static HWY_INLINE void store(Warp& warp, const uint16_t* slots, const Columns<T>& columns, uint32_t mask) {
    store_lanes(warp.destination<T>(slots[0]), columns.even, mask);
    store_lanes(warp.destination<T>(slots[1]), columns.odd, mask);
  }
};
struct PackedHalves {
  using Element = float;
  static constexpr size_t kRegisters = 1;
  static HWY_NOINLINE void load(const Warp& warp, const uint16_t* slots, Columns<float>& columns) {
    const Tag<uint32_t> d;
    const Tag<float> df;
    const auto* bits = warp.source<uint32_t>(slots[0]);
    for (size_t i = 0; i < 32; i += hn::Lanes(d)) {
      const auto vector = hn::Load(d, bits + i);
      hn::Store(Halves::part<0>(d, vector), df, columns.even + i);
      hn::Store(Halves::part<1>(d, vector), df, columns.odd + i);
    }
  }
  static HWY_NOINLINE void store(Warp& warp, const uint16_t* slots, const Columns<float>& columns, uint32_t mask) {
    HWY_ALIGN uint32_t packed[32];
    for (size_t i = 0; i < 32; ++i)
      packed[i] = narrow_half(columns.even[i]) | uint32_t{narrow_half(columns.odd[i])} << 16;
    store_lanes(warp.destination<uint32_t>(slots[0]), packed, mask);
  }
};

/// Elements i … of row g: the even columns, then the odd ones.
#if HWY_TARGET == HWY_SCALAR
template <class T, class D>
HWY_INLINE hn::Vec<D> load_row(D d, const Columns<T>& columns, size_t g, size_t i) {
  return hn::Load(d, (i < 4 ? columns.even : columns.odd) + 4 * g + i % 4);
}
template <class T, class D, class V>
HWY_INLINE void store_row(D d, V row, Columns<T>& columns, size_t g, size_t i) {
  hn::Store(row, d, (i < 4 ? columns.even : columns.odd) + 4 * g + i % 4);
}
#else
template <class T, class D>
HWY_INLINE hn::Vec<D> load_row(D d, const Columns<T>& columns, size_t g, size_t i) {
  if constexpr (hn::MaxLanes(D()) == 8) {
    const hn::Half<D> half;
    return hn::Combine(d, hn::Load(half, columns.odd + 4 * g), hn::Load(half, columns.even + 4 * g));
  } else {
    return hn::Load(d, (i < 4 ? columns.even : columns.odd) + 4 * g + i % 4);
  }
}
template <class T, class D, class V>
HWY_INLINE void store_row(D d, V row, Columns<T>& columns, size_t g, size_t i) {
  if constexpr (hn::MaxLanes(D()) == 8) {
    const hn::Half<D> half;
    hn::Store(hn::LowerHalf(half, row), half, columns.even + 4 * g);
    hn::Store(hn::UpperHalf(half, row), half, columns.odd + 4 * g);
  } else {
    hn::Store(row, d, (i < 4 ? columns.even : columns.odd) + 4 * g + i % 4);
  }
}
#endif

/// Eight rows and eight columns, over kDepth steps: `a` has 32 chunks per register, `b` eight per step.
template <class Sum, class T, size_t kDepth, size_t kParts>
HWY_NOINLINE void multiply_band(const T (*a)[32], const T (*b)[4][8], const Columns<T>& c, Columns<T>& out) {
  const ColumnTag<T> d;
  for (size_t i = 0; i < 8; i += hn::Lanes(d)) {
    const auto start = [&](size_t g) HWY_ATTR { return Sum::begin(d, load_row(d, c, g, i)); };
    auto s0 = start(0), s1 = start(1), s2 = start(2), s3 = start(3);
    auto s4 = start(4), s5 = start(5), s6 = start(6), s7 = start(7);
    for (size_t j = 0; j < kDepth; ++j) {
      for (size_t t = 0; t < 4; ++t) {
        for (size_t part = 0; part < kParts; ++part) {
          const T* from = a[j * kParts + part] + t;
          const auto column = hn::Load(d, b[j * kParts + part][t] + i);
          s0 = Sum::step(d, hn::Set(d, from[0]), column, s0);
          s1 = Sum::step(d, hn::Set(d, from[4]), column, s1);
          s2 = Sum::step(d, hn::Set(d, from[8]), column, s2);
          s3 = Sum::step(d, hn::Set(d, from[12]), column, s3);
          s4 = Sum::step(d, hn::Set(d, from[16]), column, s4);
          s5 = Sum::step(d, hn::Set(d, from[20]), column, s5);
          s6 = Sum::step(d, hn::Set(d, from[24]), column, s6);
          s7 = Sum::step(d, hn::Set(d, from[28]), column, s7);
        }
      }
    }
    const auto finish = [&](size_t g, auto sum)
                            HWY_ATTR { store_row(d, Sum::end(d, sum, load_row(d, c, g, i)), out, g, i); };
    finish(0, s0), finish(1, s1), finish(2, s2), finish(3, s3);
    finish(4, s4), finish(5, s5), finish(6, s6), finish(7, s7);
  }
}

/// What instructions of one shape differ in: how A and B are read, and what is done with them.
template <class T>
struct Factors {
  void (*unpack_a)(const Warp& warp, uint16_t slot, T (*parts)[32]);
  void (*unpack_b)(const Warp& warp, uint16_t slot, T (*parts)[4][8]);
  void (*multiply_band)(const T (*a)[32], const T (*b)[4][8], const Columns<T>& c, Columns<T>& out);
};

/// kBands times 8 rows, kStrips times 8 columns, kDepth registers along k, each of kParts elements. C and D may be in
/// different formats.
template <class T, class C, class D, size_t kBands, size_t kStrips, size_t kDepth, size_t kParts>
HWY_NOINLINE const Operation* multiply(Warp& warp, const Operation* operation, uint32_t mask,
                                       const Factors<T>& factors) {
  if (!is_whole_warp(warp, operation, mask)) return warp.leave(operation);
  const FragmentOperands& operands = warp.machine->setup().program->fragments[operation->extra];
  const auto& [d_slots, a_slots, b_slots, c_slots] = operands.slots;
  HWY_ALIGN T a[kBands][kDepth * kParts][32];
  HWY_ALIGN T b[kStrips][kDepth * kParts][4][8];
  Columns<T> out[kStrips][kBands];
  for (size_t band = 0; band < kBands; ++band) {
    for (size_t j = 0; j < kDepth; ++j) {
      // Two bands make 16 rows, whose registers alternate.
      const size_t reg = kBands == 1 ? j : band / 2 * 2 * kDepth + 2 * j + band % 2;
      factors.unpack_a(warp, a_slots[reg], a[band] + j * kParts);
    }
  }
  for (size_t strip = 0; strip < kStrips; ++strip)
    for (size_t j = 0; j < kDepth; ++j) factors.unpack_b(warp, b_slots[strip * kDepth + j], b[strip] + j * kParts);
  for (size_t strip = 0; strip < kStrips; ++strip) {
    for (size_t band = 0; band < kBands; ++band) {
      Columns<T> c;
      C::load(warp, c_slots.data() + (strip * kBands + band) * C::kRegisters, c);
      factors.multiply_band(a[band], b[strip], c, out[strip][band]);
    }
  }
  for (size_t strip = 0; strip < kStrips; ++strip)
    for (size_t band = 0; band < kBands; ++band)
      D::store(warp, d_slots.data() + (strip * kBands + band) * D::kRegisters, out[strip][band], mask);
  ++warp.synchronisations;
  return operation + 1;
}

template <class A, class B, class Sum, class C, class D, size_t kBands, size_t kStrips, size_t kDepth>
const Operation* Multiply(Warp& warp, const Operation* operation, uint32_t mask) {
  using T = typename A::Chunk;
  static_assert(A::kParts == B::kParts);
  static constexpr Factors<T> kFactors{&unpack_a<A>, &unpack_b<B>, &multiply_band<Sum, T, kDepth, A::kParts>};
  return multiply<T, C, D, kBands, kStrips, kDepth, A::kParts>(warp, operation, mask, kFactors);
}

// Names for the rows of isa.def.
using Floats = Whole<float>;
using Ints = Whole<int32_t>;
template <size_t kBands, size_t kDepth>
constexpr Handler kDoubleProduct =
    &Multiply<Doubles, Doubles, FusedSum, Whole<double>, Whole<double>, kBands, 1, kDepth>;
template <class Format, class C, class D, size_t kBands, size_t kStrips, size_t kDepth>
constexpr Handler kFloatProduct = &Multiply<Format, Format, FusedSum, C, D, kBands, kStrips, kDepth>;
template <class A, class B, bool kSaturate, size_t kBands, size_t kStrips, size_t kDepth>
constexpr Handler kIntegerProduct = &Multiply<A, B, PairSum<kSaturate>, Ints, Ints, kBands, kStrips, kDepth>;
template <class Population, size_t kBands, size_t kDepth>
constexpr Handler kBitProduct = &Multiply<SingleBits, SingleBits, Population, Ints, Ints, kBands, 1, kDepth>;
using S8 = Integers<8, true>;
using U8 = Integers<8, false>;
using S4 = Integers<4, true>;
using U4 = Integers<4, false>;

std::span<const IsaRow> all_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, handler},
#define ISA_MATRIX
#include "engine/sim/program/isa.def"
#undef ISA_MATRIX
#undef ISA
  };
  return kRows;
}

}  // namespace matrix

std::span<const IsaRow> rows_of_matrix() { return matrix::all_rows(); }

}  // namespace HWY_NAMESPACE
}  // namespace tilescope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope {

HWY_EXPORT(rows_of_matrix);
std::span<const IsaRow> matrix_rows() { return HWY_DYNAMIC_DISPATCH(rows_of_matrix)(); }

}  // namespace tilescope
#endif
