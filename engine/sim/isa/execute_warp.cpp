// Data exchange between the lanes of a warp (PTX ISA 9.0, sections 9.7.9.5, 9.7.9.6 and 9.7.13).
#include <array>
#include <bit>

#include "engine/sim/isa/warp_sync.hpp"
#include "engine/sim/program/isa.hpp"
#include "engine/sim/state/warp.hpp"

namespace tilescope {
namespace {

template <class T>
void put_lanes(Warp& warp, uint16_t slot, const std::array<T, 32>& values, uint32_t mask) {
  T* out = warp.destination<T>(slot);
  for (size_t i = 0; i < 32; ++i)
    if ((mask >> i & 1) != 0) out[i] = values[i];
}

// The lane that a lane reads from, and whether it is inside its segment (PTX ISA 9.0, 9.7.9.6).
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
void Shuffle(Warp& warp, const Operation* operation, uint32_t lanes, uint32_t members) {
  const auto* a = warp.source<uint32_t>(operation->a);
  const auto* b = warp.source<uint32_t>(operation->b);
  const auto* c = warp.source<uint32_t>(operation->c);
  std::array<uint32_t, 32> result{}, from{};
  uint32_t inside = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t clamp = c[lane] & 31, segment = c[lane] >> 8 & 31;
    const uint32_t highest = (lane & segment) | (clamp & ~segment);
    const Source source = How::of(lane, b[lane] & 31, lane & segment, highest, segment);
    from[lane] = source.lane;
    result[lane] = a[source.inside ? source.lane & 31 : lane];
    inside |= (source.inside ? 1U : 0U) << lane;
  }
  put_lanes(warp, operation->dst, result, lanes);
  if (operation->extra != 0) warp.set_predicate(operation->extra, inside, lanes);
  if ((members & ~lanes) != 0) check_shuffle_sources(warp, operation, lanes, members, inside, from.data());
}

// A member that has left the kernel has no vote: only `lanes` count.
void VoteAll(Warp& warp, const Operation* operation, uint32_t lanes, uint32_t) {
  const bool all = (warp.predicate(operation->a) & lanes) == lanes;
  warp.set_predicate(operation->dst, all ? 0xffffffff : 0, lanes);
}
void VoteAny(Warp& warp, const Operation* operation, uint32_t lanes, uint32_t) {
  const bool any = (warp.predicate(operation->a) & lanes) != 0;
  warp.set_predicate(operation->dst, any ? 0xffffffff : 0, lanes);
}
void VoteUniform(Warp& warp, const Operation* operation, uint32_t lanes, uint32_t) {
  const uint32_t votes = warp.predicate(operation->a) & lanes;
  warp.set_predicate(operation->dst, votes == 0 || votes == lanes ? 0xffffffff : 0, lanes);
}
void VoteBallot(Warp& warp, const Operation* operation, uint32_t lanes, uint32_t) {
  std::array<uint32_t, 32> result;
  result.fill(warp.predicate(operation->a) & lanes);
  put_lanes(warp, operation->dst, result, lanes);
}
const Operation* ActiveMask(Warp& warp, const Operation* operation, uint32_t mask) {
  std::array<uint32_t, 32> result;
  result.fill(mask);
  put_lanes(warp, operation->dst, result, mask);
  return operation + 1;
}

template <class T>
void MatchAny(Warp& warp, const Operation* operation, uint32_t lanes, uint32_t) {
  const T* a = warp.source<T>(operation->a);
  std::array<uint32_t, 32> result{};
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    for (uint32_t left = lanes; left != 0; left &= left - 1)
      if (a[std::countr_zero(left)] == a[lane]) result[lane] |= left & (0U - left);
  }
  put_lanes(warp, operation->dst, result, lanes);
}
template <class T>
void MatchAll(Warp& warp, const Operation* operation, uint32_t lanes, uint32_t) {
  const T* a = warp.source<T>(operation->a);
  bool same = true;
  for (uint32_t left = lanes; left != 0; left &= left - 1)
    same = same && a[std::countr_zero(left)] == a[std::countr_zero(lanes)];
  std::array<uint32_t, 32> result;
  result.fill(same ? lanes : 0);
  put_lanes(warp, operation->dst, result, lanes);
  if (operation->extra != 0) warp.set_predicate(operation->extra, same ? 0xffffffff : 0, lanes);
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
void Reduce(Warp& warp, const Operation* operation, uint32_t lanes, uint32_t) {
  const T* a = warp.source<T>(operation->a);
  T sum = a[std::countr_zero(lanes)];
  for (uint32_t left = lanes & (lanes - 1); left != 0; left &= left - 1) sum = Op::run(sum, a[std::countr_zero(left)]);
  std::array<T, 32> result;
  result.fill(sum);
  put_lanes(warp, operation->dst, result, lanes);
}

/// bar.warp.sync: the lanes' writes are already visible to each other.
void Meet(Warp&, const Operation*, uint32_t, uint32_t) {}

}  // namespace

std::span<const IsaRow> warp_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_WARP
#include "engine/sim/program/isa.def"
#undef ISA_WARP
#undef ISA
  };
  return kRows;
}

}  // namespace tilescope
