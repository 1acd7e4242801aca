// Moves between registers, address spaces and parameters (PTX ISA 9.0, section 9.7.9).
#include <array>
#include <cstdint>
#include <cstring>

#include "engine/sim/isa/simd_targets.hpp"
#include "engine/sim/program/isa.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/sim/isa/execute_move.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, for each instruction set.
#include "engine/sim/isa/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilescope {
namespace HWY_NAMESPACE {
namespace move {

struct Same {
  template <class D, class V>
  static HWY_INLINE V run(D, V a) {
    return a;
  }
};
struct AddWindow {
  template <class D, class V>
  static HWY_INLINE V run(D, V a, V window) {
    return hn::Add(a, window);
  }
};
struct SubtractWindow {
  template <class D, class V>
  static HWY_INLINE V run(D, V a, V window) {
    return hn::Sub(a, window);
  }
};

/// The slots of a vector operand are in dst, b, c and extra.
HWY_INLINE std::array<uint16_t, 4> vector_slots(const Operation* operation) {
  return {operation->dst, operation->b, operation->c, operation->extra};
}

/// mov d, {a, b …}: the elements, lowest first, are in b, c, extra and the fourth source.
template <class Whole, class Part, int N>
const Operation* Pack(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN Whole result[32] = {};
  const std::array<uint16_t, 4> slots = {operation->b, operation->c, operation->extra,
                                         static_cast<uint16_t>(operation->immediate)};
  for (size_t part = 0; part < N; ++part) {
    const Part* source = warp.source<Part>(slots[part]);
    for (size_t i = 0; i < 32; ++i)
      result[i] |= static_cast<Whole>(static_cast<Whole>(source[i]) << (8 * sizeof(Part) * part));
  }
  store_lanes(warp.destination<Whole>(operation->dst), result, mask);
  return operation + 1;
}

struct Unchanged {
  static HWY_INLINE Word128 run(const Word128& a) { return a; }
};
template <class Part, int N>
const Operation* PackWide(Warp& warp, const Operation* operation, uint32_t mask) {
  Word128 result[32];
  const std::array<uint16_t, 4> slots = {operation->b, operation->c, operation->extra,
                                         static_cast<uint16_t>(operation->immediate)};
  for (size_t part = 0; part < N; ++part) {
    const Part* source = warp.source<Part>(slots[part]);
    for (size_t i = 0; i < 32; ++i)
      std::memcpy(reinterpret_cast<uint8_t*>(&result[i]) + part * sizeof(Part), &source[i], sizeof(Part));
  }
  store_lanes(warp.destination<Word128>(operation->dst), result, mask);
  return operation + 1;
}
template <class Part, int N>
const Operation* UnpackWide(Warp& warp, const Operation* operation, uint32_t mask) {
  const auto* source = warp.source<Word128>(operation->a);
  const auto slots = vector_slots(operation);
  HWY_ALIGN Part result[N][32];
  for (size_t part = 0; part < N; ++part)
    for (size_t i = 0; i < 32; ++i)
      std::memcpy(&result[part][i], reinterpret_cast<const uint8_t*>(&source[i]) + part * sizeof(Part), sizeof(Part));
  for (size_t part = 0; part < N; ++part) store_lanes(warp.destination<Part>(slots[part]), result[part], mask);
  return operation + 1;
}
/// A 16-byte parameter.
const Operation* MoveWide(Warp& warp, const Operation* operation, uint32_t mask) {
  store_lanes(warp.destination<Word128>(operation->dst), warp.source<Word128>(operation->a), mask);
  return operation + 1;
}

template <class Whole, class Part, int N>
const Operation* Unpack(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN Whole source[32];
  store_lanes(source, warp.source<Whole>(operation->a), kAllLanes);
  const auto slots = vector_slots(operation);
  for (size_t part = 0; part < N; ++part) {
    HWY_ALIGN Part result[32];
    for (size_t i = 0; i < 32; ++i) result[i] = static_cast<Part>(source[i] >> (8 * sizeof(Part) * part));
    store_lanes(warp.destination<Part>(slots[part]), result, mask);
  }
  return operation + 1;
}

/// Adjacent values, starting at slot a.
template <class T, int N>
const Operation* MoveVector(Warp& warp, const Operation* operation, uint32_t mask) {
  const auto slots = vector_slots(operation);
  for (size_t part = 0; part < N; ++part) {
    const auto from = static_cast<uint16_t>(operation->a + part * 32 * sizeof(T) / kSlotBytes);
    store_lanes(warp.destination<T>(slots[part]), warp.source<T>(from), mask);
  }
  return operation + 1;
}

template <uint64_t kWindow>
const Operation* InWindow(Warp& warp, const Operation* operation, uint32_t mask) {
  const auto* a = warp.source<uint64_t>(operation->a);
  uint32_t lanes = 0;
  for (size_t i = 0; i < 32; ++i) lanes |= (a[i] >> kRegionBits == kWindow ? 1U : 0U) << i;
  warp.set_predicate(operation->dst, lanes, mask);
  return operation + 1;
}
const Operation* InGlobal(Warp& warp, const Operation* operation, uint32_t mask) {
  const auto* a = warp.source<uint64_t>(operation->a);
  uint32_t lanes = 0;
  for (size_t i = 0; i < 32; ++i) {
    const uint64_t region = a[i] >> kRegionBits;
    lanes |=
        (region == 0 || region == kModuleWindow >> kRegionBits || region == kHeapWindow >> kRegionBits || region >= 16
             ? 1U
             : 0U)
        << i;
  }
  warp.set_predicate(operation->dst, lanes, mask);
  return operation + 1;
}

const Operation* ZeroPolicy(Warp& warp, const Operation* operation, uint32_t mask) {
  HWY_ALIGN const uint64_t zeros[32] = {};
  store_lanes(warp.destination<uint64_t>(operation->dst), zeros, mask);
  return operation + 1;
}

std::span<const IsaRow> all_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_MOVE
#include "engine/sim/program/isa.def"
#undef ISA_MOVE
#undef ISA
  };
  return kRows;
}

}  // namespace move

std::span<const IsaRow> rows_of_move() { return move::all_rows(); }

std::string_view name_of_target() {
  return HWY_TARGET == HWY_AVX3 ? "AVX-512" : HWY_TARGET == HWY_AVX2 ? "AVX2" : "no SIMD";
}

}  // namespace HWY_NAMESPACE
}  // namespace tilescope
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope {

HWY_EXPORT(rows_of_move);
std::span<const IsaRow> move_rows() { return HWY_DYNAMIC_DISPATCH(rows_of_move)(); }

HWY_EXPORT(name_of_target);
std::string_view simd_name() { return HWY_DYNAMIC_DISPATCH(name_of_target)(); }

}  // namespace tilescope
#endif
