// Comparison, selection and predicate logic (PTX ISA 9.0, sections 9.7.6 and 9.7.7).
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "engine/sim/isa/simd_targets.hpp"
#include "engine/sim/program/formats.hpp"
#include "engine/sim/program/isa.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/sim/isa/execute_compare.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, for each instruction set.
#include "engine/sim/isa/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilescope {
namespace HWY_NAMESPACE {
namespace compare {

// Comparisons of vectors. Unless stated otherwise, a NaN compares false.
struct Equal {
  template <class D, class V>
  static HWY_INLINE hn::Mask<D> run(D, V a, V b) {
    return hn::Eq(a, b);
  }
};
struct NotEqual {
  template <class D, class V>
  static HWY_INLINE hn::Mask<D> run(D, V a, V b) {
    return hn::Ne(a, b);
  }
};
struct OrderedNotEqual {
  template <class D, class V>
  static HWY_INLINE hn::Mask<D> run(D, V a, V b) {
    return hn::Or(hn::Lt(a, b), hn::Gt(a, b));
  }
};
struct Less {
  template <class D, class V>
  static HWY_INLINE hn::Mask<D> run(D, V a, V b) {
    return hn::Lt(a, b);
  }
};
struct LessEqual {
  template <class D, class V>
  static HWY_INLINE hn::Mask<D> run(D, V a, V b) {
    if constexpr (std::is_integral_v<hn::TFromD<D>>)
      return hn::Not(hn::Gt(a, b));
    else
      return hn::Le(a, b);
  }
};
struct Greater {
  template <class D, class V>
  static HWY_INLINE hn::Mask<D> run(D, V a, V b) {
    return hn::Gt(a, b);
  }
};
struct GreaterEqual {
  template <class D, class V>
  static HWY_INLINE hn::Mask<D> run(D, V a, V b) {
    if constexpr (std::is_integral_v<hn::TFromD<D>>)
      return hn::Not(hn::Lt(a, b));
    else
      return hn::Ge(a, b);
  }
};
struct BothNumbers {
  template <class D, class V>
  static HWY_INLINE hn::Mask<D> run(D, V a, V b) {
    return hn::And(hn::Eq(a, a), hn::Eq(b, b));
  }
};
/// True if the ordered comparison is false, which includes NaN.
template <class Op>
struct Unordered {
  template <class D, class V>
  static HWY_INLINE hn::Mask<D> run(D d, V a, V b) {
    return hn::Not(Op::run(d, a, b));
  }
};

template <class D, class V>
HWY_INLINE V flush_subnormals(D d, V value) {
  const auto smallest = hn::Set(d, std::numeric_limits<hn::TFromD<D>>::min());
  return hn::IfThenElse(hn::Lt(hn::Abs(value), smallest), hn::CopySign(hn::Zero(d), value), value);
}

/// The lanes for which the comparison holds.
template <class T, class Op>
HWY_INLINE uint32_t compare_lanes(const T* a, const T* b, bool flush) {
  const Tag<T> d;
  uint32_t lanes = 0;
  for (size_t i = 0; i < 32; i += hn::Lanes(d)) {
    auto left = hn::Load(d, a + i);
    auto right = hn::Load(d, b + i);
    if constexpr (std::is_same_v<T, float>) {
      if (flush) {
        left = flush_subnormals(d, left);
        right = flush_subnormals(d, right);
      }
    }
    uint64_t bits = 0;
    hn::StoreMaskBits(d, Op::run(d, left, right), reinterpret_cast<uint8_t*>(&bits));
    lanes |= static_cast<uint32_t>(bits) << i;
  }
  return lanes;
}

HWY_INLINE uint32_t combine(Combine how, uint32_t lanes, uint32_t with) {
  switch (how) {
    case Combine::none:
      return lanes;
    case Combine::conjunction:
      return lanes & with;
    case Combine::disjunction:
      return lanes | with;
    case Combine::exclusive:
      return lanes ^ with;
  }
  return lanes;
}

/// Sets one or two predicates: the comparison, and its complement, each combined with a third operand if there is one.
HWY_INLINE const Operation* set_predicates(Warp& warp, const Operation* operation, uint32_t lanes, uint32_t mask) {
  const OperationModifiers modifiers = modifiers_of(*operation);
  const uint32_t with = modifiers.combine == Combine::none ? 0 : warp.predicate(operation->c);
  if (operation->dst != 0) warp.set_predicate(operation->dst, combine(modifiers.combine, lanes, with), mask);
  if (operation->extra != 0) warp.set_predicate(operation->extra, combine(modifiers.combine, ~lanes, with), mask);
  return operation + 1;
}

template <class T, class Op>
const Operation* SetPredicate(Warp& warp, const Operation* operation, uint32_t mask) {
  const uint32_t lanes = compare_lanes<T, Op>(warp.source<T>(operation->a), warp.source<T>(operation->b),
                                              std::is_same_v<T, float> && modifiers_of(*operation).flush);
  return set_predicates(warp, operation, lanes, mask);
}

template <class T>
HWY_INLINE const Operation* choose(Warp& warp, const Operation* operation, uint32_t lanes, T yes, T no, uint32_t mask) {
  HWY_ALIGN T result[32];
  for (size_t i = 0; i < 32; ++i) result[i] = (lanes >> i & 1) != 0 ? yes : no;
  store_lanes(warp.destination<T>(operation->dst), result, mask);
  return operation + 1;
}

/// The result of `set` for a true comparison, by the result's type: all ones, or 1.0 (resolve.cpp).
HWY_INLINE uint32_t value_if_true(const Operation* operation) {
  switch (static_cast<SetResult>(operation->extra)) {
    case SetResult::ones:
      return 0xffffffff;
    case SetResult::one_f32:
      return 0x3f800000;
    case SetResult::one_f16:
      return 0x3c003c00;
    case SetResult::one_bf16:
      return 0x3f803f80;
  }
  return 0;
}
inline HWY_NOINLINE const Operation* set_value(Warp& warp, const Operation* operation, uint32_t lanes, uint32_t mask) {
  const OperationModifiers modifiers = modifiers_of(*operation);
  const uint32_t with = modifiers.combine == Combine::none ? 0 : warp.predicate(operation->c);
  const uint32_t yes = value_if_true(operation);
  lanes = combine(modifiers.combine, lanes, with);
  return modifiers.destination_bytes == 2
             ? choose<uint16_t>(warp, operation, lanes, static_cast<uint16_t>(yes), 0, mask)
             : choose<uint32_t>(warp, operation, lanes, yes, 0, mask);
}
template <class T, class Op>
const Operation* SetValue(Warp& warp, const Operation* operation, uint32_t mask) {
  const uint32_t lanes = compare_lanes<T, Op>(warp.source<T>(operation->a), warp.source<T>(operation->b),
                                              std::is_same_v<T, float> && modifiers_of(*operation).flush);
  return set_value(warp, operation, lanes, mask);
}

/// 16-bit formats are compared as floats. kShift selects the lower or upper half of a packed pair.
template <class Format, class Word, int kShift>
HWY_NOINLINE void widen_lanes(const Word* words, bool flush, float* values) {
  for (size_t i = 0; i < 32; ++i) {
    const auto bits = static_cast<uint16_t>(words[i] >> kShift);
    const bool subnormal = (bits & Format::format.infinity()) == 0;
    values[i] = widen(flush && subnormal ? static_cast<uint16_t>(bits & 0x8000U) : bits, Format::format);
  }
}
template <class Op>
HWY_NOINLINE uint32_t compare_widened(const float* a, const float* b) {
  return compare_lanes<float, Op>(a, b, false);
}
template <class Format, class Op, class Word, int kShift>
HWY_INLINE uint32_t compare_halves(Warp& warp, const Operation* operation) {
  HWY_ALIGN float a[32], b[32];
  const bool flush = modifiers_of(*operation).flush;
  widen_lanes<Format, Word, kShift>(warp.source<Word>(operation->a), flush, a);
  widen_lanes<Format, Word, kShift>(warp.source<Word>(operation->b), flush, b);
  return compare_widened<Op>(a, b);
}
template <class Format, class Op>
const Operation* SetHalf(Warp& warp, const Operation* operation, uint32_t mask) {
  return set_predicates(warp, operation, compare_halves<Format, Op, uint16_t, 0>(warp, operation), mask);
}
/// The first predicate is for the lower halves, the second for the upper ones.
template <class Format, class Op>
const Operation* SetHalves(Warp& warp, const Operation* operation, uint32_t mask) {
  const Combine how = modifiers_of(*operation).combine;
  const uint32_t with = how == Combine::none ? 0 : warp.predicate(operation->c);
  const uint32_t low = combine(how, compare_halves<Format, Op, uint32_t, 0>(warp, operation), with);
  const uint32_t high = combine(how, compare_halves<Format, Op, uint32_t, 16>(warp, operation), with);
  if (operation->dst != 0) warp.set_predicate(operation->dst, low, mask);
  if (operation->extra != 0) warp.set_predicate(operation->extra, high, mask);
  return operation + 1;
}
template <class Format, class Op>
const Operation* SetHalfValue(Warp& warp, const Operation* operation, uint32_t mask) {
  return set_value(warp, operation, compare_halves<Format, Op, uint16_t, 0>(warp, operation), mask);
}
/// Both halves of a packed pair.
inline HWY_NOINLINE const Operation* set_values(Warp& warp, const Operation* operation, uint32_t low, uint32_t high,
                                                uint32_t mask) {
  HWY_ALIGN uint32_t result[32];
  const Combine how = modifiers_of(*operation).combine;
  const uint32_t with = how == Combine::none ? 0 : warp.predicate(operation->c);
  low = combine(how, low, with);
  high = combine(how, high, with);
  const uint32_t yes = value_if_true(operation);
  for (size_t i = 0; i < 32; ++i)
    result[i] = ((low >> i & 1) != 0 ? yes & 0xffff : 0U) | ((high >> i & 1) != 0 ? yes & 0xffff0000 : 0U);
  store_lanes(warp.destination<uint32_t>(operation->dst), result, mask);
  return operation + 1;
}
template <class Format, class Op>
const Operation* SetHalvesValue(Warp& warp, const Operation* operation, uint32_t mask) {
  const uint32_t low = compare_halves<Format, Op, uint32_t, 0>(warp, operation);
  return set_values(warp, operation, low, compare_halves<Format, Op, uint32_t, 16>(warp, operation), mask);
}

template <class T>
const Operation* Select(Warp& warp, const Operation* operation, uint32_t mask) {
  const Tag<T> d;
  T* out = warp.destination<T>(operation->dst);
  const T* a = warp.source<T>(operation->a);
  const T* b = warp.source<T>(operation->b);
  const uint32_t lanes = warp.predicate(operation->c);
  for (size_t i = 0; i < 32; i += hn::Lanes(d)) {
    const auto value = hn::IfThenElse(mask_at(d, lanes, i), hn::Load(d, a + i), hn::Load(d, b + i));
    if (mask == kAllLanes)
      hn::Store(value, d, out + i);
    else
      hn::BlendedStore(value, mask_at(d, mask, i), d, out + i);
  }
  return operation + 1;
}
struct SelectBySign {
  template <class T>
  static HWY_INLINE T run(T a, T b, int32_t c) {
    return c >= 0 ? a : b;
  }
};

/// A NaN selects the second operand; −0 the first.
struct SelectByFloat {
  template <class T>
  static HWY_INLINE T run(const OperationModifiers& modifiers, T a, T b, float c) {
    const bool subnormal = std::abs(c) < std::numeric_limits<float>::min();
    return c >= 0 || (modifiers.flush && subnormal) ? a : b;
  }
};

const Operation* PredicateAnd(Warp& warp, const Operation* operation, uint32_t mask) {
  warp.set_predicate(operation->dst, warp.predicate(operation->a) & warp.predicate(operation->b), mask);
  return operation + 1;
}
const Operation* PredicateOr(Warp& warp, const Operation* operation, uint32_t mask) {
  warp.set_predicate(operation->dst, warp.predicate(operation->a) | warp.predicate(operation->b), mask);
  return operation + 1;
}
const Operation* PredicateXor(Warp& warp, const Operation* operation, uint32_t mask) {
  warp.set_predicate(operation->dst, warp.predicate(operation->a) ^ warp.predicate(operation->b), mask);
  return operation + 1;
}
const Operation* PredicateNot(Warp& warp, const Operation* operation, uint32_t mask) {
  warp.set_predicate(operation->dst, ~warp.predicate(operation->a), mask);
  return operation + 1;
}
const Operation* PredicateMove(Warp& warp, const Operation* operation, uint32_t mask) {
  warp.set_predicate(operation->dst, warp.predicate(operation->a), mask);
  return operation + 1;
}

std::span<const IsaRow> all_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_COMPARE
#include "engine/sim/program/isa.def"
#undef ISA_COMPARE
#undef ISA
  };
  return kRows;
}

}  // namespace compare

std::span<const IsaRow> rows_of_compare() { return compare::all_rows(); }

}  // namespace HWY_NAMESPACE
}  // namespace tilescope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope {

HWY_EXPORT(rows_of_compare);
std::span<const IsaRow> compare_rows() { return HWY_DYNAMIC_DISPATCH(rows_of_compare)(); }

}  // namespace tilescope
#endif
