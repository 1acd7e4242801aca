// Exchange between the lanes of a warp (PTX ISA 9.0, sections 9.7.9.5, 9.7.9.6 and 9.7.13).
#include <array>
#include <bit>

#include "engine/sim/isa.hpp"
#include "engine/sim/warp.hpp"

namespace tilescope {
namespace {

template <class T>
void put(Warp& warp, uint16_t slot, const std::array<T, 32>& values, uint32_t mask) {
  T* out = warp.destination<T>(slot);
  for (size_t i = 0; i < 32; ++i)
    if ((mask >> i & 1) != 0) out[i] = values[i];
}

// Which lane a lane reads from, and whether that is inside of its segment (PTX ISA 9.0, 9.7.9.6).
struct Source {
  uint32_t lane;
  bool inside;
};
struct ShuffleIndex {
  static Source of(uint32_t, uint32_t b, uint32_t lowest, uint32_t highest, uint32_t segment) {
    const uint32_t lane = lowest | (b & ~segment);
    return {lane, lane <= highest};
  }
};
struct ShuffleButterfly {
  static Source of(uint32_t lane, uint32_t b, uint32_t, uint32_t highest, uint32_t) {
    return {lane ^ b, (lane ^ b) <= highest};
  }
};
struct ShuffleUp {
  static Source of(uint32_t lane, uint32_t b, uint32_t, uint32_t highest, uint32_t) {
    return {lane - b, static_cast<int32_t>(lane) - static_cast<int32_t>(b) >= static_cast<int32_t>(highest)};
  }
};
struct ShuffleDown {
  static Source of(uint32_t lane, uint32_t b, uint32_t, uint32_t highest, uint32_t) {
    return {lane + b, lane + b <= highest};
  }
};

template <class How>
const Operation* Shuffle(Warp& warp, const Operation* operation, uint32_t mask) {
  const auto* a = warp.source<uint32_t>(operation->a);
  const auto* b = warp.source<uint32_t>(operation->b);
  const auto* c = warp.source<uint32_t>(operation->c);
  std::array<uint32_t, 32> result{};
  uint32_t inside = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t clamp = c[lane] & 31, segment = c[lane] >> 8 & 31;
    const uint32_t highest = (lane & segment) | (clamp & ~segment);
    const Source source = How::of(lane, b[lane] & 31, lane & segment, highest, segment);
    result[lane] = a[source.inside ? source.lane & 31 : lane];
    inside |= (source.inside ? 1U : 0U) << lane;
  }
  put(warp, operation->dst, result, mask);
  if (operation->extra != 0) warp.set_predicate(operation->extra, inside, mask);
  return operation + 1;
}

/// The lanes that take part: those of the path that the mask operand names.
uint32_t members(const Warp& warp, uint16_t slot, uint32_t mask) {
  return warp.source<uint32_t>(slot)[std::countr_zero(mask)] & mask;
}

const Operation* VoteAll(Warp& warp, const Operation* operation, uint32_t mask) {
  const uint32_t voters = members(warp, operation->b, mask);
  const bool all = (warp.predicate(operation->a) & voters) == voters;
  warp.set_predicate(operation->dst, all ? 0xffffffff : 0, mask);
  return operation + 1;
}
const Operation* VoteAny(Warp& warp, const Operation* operation, uint32_t mask) {
  const bool any = (warp.predicate(operation->a) & members(warp, operation->b, mask)) != 0;
  warp.set_predicate(operation->dst, any ? 0xffffffff : 0, mask);
  return operation + 1;
}
const Operation* VoteUniform(Warp& warp, const Operation* operation, uint32_t mask) {
  const uint32_t voters = members(warp, operation->b, mask), votes = warp.predicate(operation->a) & voters;
  warp.set_predicate(operation->dst, votes == 0 || votes == voters ? 0xffffffff : 0, mask);
  return operation + 1;
}
const Operation* VoteBallot(Warp& warp, const Operation* operation, uint32_t mask) {
  std::array<uint32_t, 32> result;
  result.fill(warp.predicate(operation->a) & members(warp, operation->b, mask));
  put(warp, operation->dst, result, mask);
  return operation + 1;
}
const Operation* ActiveMask(Warp& warp, const Operation* operation, uint32_t mask) {
  std::array<uint32_t, 32> result;
  result.fill(mask);
  put(warp, operation->dst, result, mask);
  return operation + 1;
}

template <class T>
const Operation* MatchAny(Warp& warp, const Operation* operation, uint32_t mask) {
  const T* a = warp.source<T>(operation->a);
  const uint32_t taking_part = members(warp, operation->b, mask);
  std::array<uint32_t, 32> result{};
  for (size_t lane = 0; lane < 32; ++lane)
    for (uint32_t left = taking_part; left != 0; left &= left - 1)
      if (a[std::countr_zero(left)] == a[lane]) result[lane] |= left & (0U - left);
  put(warp, operation->dst, result, mask);
  return operation + 1;
}
template <class T>
const Operation* MatchAll(Warp& warp, const Operation* operation, uint32_t mask) {
  const T* a = warp.source<T>(operation->a);
  const uint32_t taking_part = members(warp, operation->b, mask);
  bool same = taking_part != 0;
  for (uint32_t left = taking_part; left != 0; left &= left - 1)
    same = same && a[std::countr_zero(left)] == a[std::countr_zero(taking_part)];
  std::array<uint32_t, 32> result;
  result.fill(same ? taking_part : 0);
  put(warp, operation->dst, result, mask);
  if (operation->extra != 0) warp.set_predicate(operation->extra, same ? 0xffffffff : 0, mask);
  return operation + 1;
}

struct ReduceAdd {
  static uint32_t run(uint32_t a, uint32_t b) { return a + b; }
};
struct ReduceMinimum {
  template <class T>
  static T run(T a, T b) {
    return a < b ? a : b;
  }
};
struct ReduceMaximum {
  template <class T>
  static T run(T a, T b) {
    return a > b ? a : b;
  }
};
struct ReduceAnd {
  static uint32_t run(uint32_t a, uint32_t b) { return a & b; }
};
struct ReduceOr {
  static uint32_t run(uint32_t a, uint32_t b) { return a | b; }
};
struct ReduceXor {
  static uint32_t run(uint32_t a, uint32_t b) { return a ^ b; }
};
template <class T, class Op>
const Operation* Reduce(Warp& warp, const Operation* operation, uint32_t mask) {
  const T* a = warp.source<T>(operation->a);
  uint32_t left = members(warp, operation->b, mask);
  T sum = a[std::countr_zero(left | 0x80000000U)];
  for (left &= left - 1; left != 0; left &= left - 1) sum = Op::run(sum, a[std::countr_zero(left)]);
  std::array<T, 32> result;
  result.fill(sum);
  put(warp, operation->dst, result, mask);
  return operation + 1;
}

}  // namespace

std::span<const IsaRow> warp_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_WARP
#include "engine/sim/isa.def"
#undef ISA_WARP
#undef ISA
  };
  return kRows;
}

}  // namespace tilescope
