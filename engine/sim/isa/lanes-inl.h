// Handlers made from an operator on one vector or on one lane. Included once per instruction set (Highway).
//
// Vector1/2/3 take an operator on Highway vectors, Lane1/2/3 one on scalars, which the compiler vectorises if it can.
// Lanes outside the mask are computed and discarded, so an operator must not trap on any input bits.
#if defined(TILESCOPE_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_LANES_INL_H_
#undef TILESCOPE_LANES_INL_H_
#else
#define TILESCOPE_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include "engine/sim/state/warp.hpp"
#include "engine/sim/program/word128.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr uint32_t kAllLanes = 0xffffffff;

template <class T>
using Tag = hn::CappedTag<T, 32>;

/// The mask of the lanes that a vector at `lane` holds.
template <class D>
HWY_INLINE hn::Mask<D> mask_at(D d, uint32_t mask, size_t lane) {
  const uint64_t bits = mask >> lane;
  return hn::LoadMaskBits(d, reinterpret_cast<const uint8_t*>(&bits));
}

/// Stores the lanes of the mask. The arrays must be disjoint or identical.
template <class T>
HWY_INLINE void store_lanes(T* out, const T* values, uint32_t mask) {
  const Tag<T> d;
  if (mask == kAllLanes) {
    for (size_t i = 0; i < 32; i += hn::Lanes(d)) hn::Store(hn::Load(d, values + i), d, out + i);
  } else {
    for (size_t i = 0; i < 32; i += hn::Lanes(d))
      hn::BlendedStore(hn::Load(d, values + i), mask_at(d, mask, i), d, out + i);
  }
}

HWY_INLINE void store_lanes(Word128* out, const Word128* values, uint32_t mask) {
  for (size_t i = 0; i < 32; ++i)
    if ((mask >> i & 1) != 0) out[i] = values[i];
}

template <class T, class Op>
const Operation* Vector1(Warp& warp, const Operation* operation, uint32_t mask) {
  const Tag<T> d;
  T* out = warp.destination<T>(operation->dst);
  const T* a = warp.source<T>(operation->a);
  if (mask == kAllLanes) {
    for (size_t i = 0; i < 32; i += hn::Lanes(d)) hn::Store(Op::run(d, hn::Load(d, a + i)), d, out + i);
  } else {
    for (size_t i = 0; i < 32; i += hn::Lanes(d))
      hn::BlendedStore(Op::run(d, hn::Load(d, a + i)), mask_at(d, mask, i), d, out + i);
  }
  return operation + 1;
}

template <class T, class Op>
const Operation* Vector2(Warp& warp, const Operation* operation, uint32_t mask) {
  const Tag<T> d;
  T* out = warp.destination<T>(operation->dst);
  const T* a = warp.source<T>(operation->a);
  const T* b = warp.source<T>(operation->b);
  if (mask == kAllLanes) {
    for (size_t i = 0; i < 32; i += hn::Lanes(d))
      hn::Store(Op::run(d, hn::Load(d, a + i), hn::Load(d, b + i)), d, out + i);
  } else {
    for (size_t i = 0; i < 32; i += hn::Lanes(d))
      hn::BlendedStore(Op::run(d, hn::Load(d, a + i), hn::Load(d, b + i)), mask_at(d, mask, i), d, out + i);
  }
  return operation + 1;
}

template <class T, class Op>
const Operation* Vector3(Warp& warp, const Operation* operation, uint32_t mask) {
  const Tag<T> d;
  T* out = warp.destination<T>(operation->dst);
  const T* a = warp.source<T>(operation->a);
  const T* b = warp.source<T>(operation->b);
  const T* c = warp.source<T>(operation->c);
  if (mask == kAllLanes) {
    for (size_t i = 0; i < 32; i += hn::Lanes(d))
      hn::Store(Op::run(d, hn::Load(d, a + i), hn::Load(d, b + i), hn::Load(d, c + i)), d, out + i);
  } else {
    for (size_t i = 0; i < 32; i += hn::Lanes(d))
      hn::BlendedStore(Op::run(d, hn::Load(d, a + i), hn::Load(d, b + i), hn::Load(d, c + i)), mask_at(d, mask, i), d,
                       out + i);
  }
  return operation + 1;
}

template <class R, class A, class Op>
const Operation* Lane1(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN R result[32];
  const A* a = warp.source<A>(operation->a);
  for (size_t i = 0; i < 32; ++i) result[i] = Op::run(a[i]);
  store_lanes(warp.destination<R>(operation->dst), result, mask);
  return operation + 1;
}

template <class R, class A, class B, class Op>
const Operation* Lane2(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN R result[32];
  const A* a = warp.source<A>(operation->a);
  const B* b = warp.source<B>(operation->b);
  for (size_t i = 0; i < 32; ++i) result[i] = Op::run(a[i], b[i]);
  store_lanes(warp.destination<R>(operation->dst), result, mask);
  return operation + 1;
}

template <class R, class A, class B, class C, class Op>
const Operation* Lane3(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN R result[32];
  const A* a = warp.source<A>(operation->a);
  const B* b = warp.source<B>(operation->b);
  const C* c = warp.source<C>(operation->c);
  for (size_t i = 0; i < 32; ++i) result[i] = Op::run(a[i], b[i], c[i]);
  store_lanes(warp.destination<R>(operation->dst), result, mask);
  return operation + 1;
}

template <class R, class A, class B, class C, class D4, class Op>
const Operation* Lane4(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN R result[32];
  const A* a = warp.source<A>(operation->a);
  const B* b = warp.source<B>(operation->b);
  const C* c = warp.source<C>(operation->c);
  const D4* e = warp.source<D4>(static_cast<uint16_t>(operation->immediate));
  for (size_t i = 0; i < 32; ++i) result[i] = Op::run(a[i], b[i], c[i], e[i]);
  store_lanes(warp.destination<R>(operation->dst), result, mask);
  return operation + 1;
}

/// The same for operators that use the opcode's modifiers.
template <class R, class A, class Op>
const Operation* Modified1(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN R result[32];
  const A* a = warp.source<A>(operation->a);
  const OperationModifiers modifiers = modifiers_of(*operation);
  for (size_t i = 0; i < 32; ++i) result[i] = Op::run(modifiers, a[i]);
  store_lanes(warp.destination<R>(operation->dst), result, mask);
  return operation + 1;
}

template <class R, class A, class B, class Op>
const Operation* Modified2(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN R result[32];
  const A* a = warp.source<A>(operation->a);
  const B* b = warp.source<B>(operation->b);
  const OperationModifiers modifiers = modifiers_of(*operation);
  for (size_t i = 0; i < 32; ++i) result[i] = Op::run(modifiers, a[i], b[i]);
  store_lanes(warp.destination<R>(operation->dst), result, mask);
  return operation + 1;
}

template <class R, class A, class B, class C, class Op>
const Operation* Modified3(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN R result[32];
  const A* a = warp.source<A>(operation->a);
  const B* b = warp.source<B>(operation->b);
  const C* c = warp.source<C>(operation->c);
  const OperationModifiers modifiers = modifiers_of(*operation);
  for (size_t i = 0; i < 32; ++i) result[i] = Op::run(modifiers, a[i], b[i], c[i]);
  store_lanes(warp.destination<R>(operation->dst), result, mask);
  return operation + 1;
}

}  // namespace HWY_NAMESPACE
}  // namespace tilescope
HWY_AFTER_NAMESPACE();

#endif
