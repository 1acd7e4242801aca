// Branches, and instructions without effect here (PTX ISA 9.0, sections 9.7.12 and 9.7.13).
#include <algorithm>
#include <bit>

#include "engine/sim/machine/machine.hpp"
#include "engine/sim/program/isa.hpp"

namespace tilescope {
namespace {

const OperationDetail& detail_of(const Warp& warp, const Operation* operation) {
  return warp.machine->setup().program->details[static_cast<size_t>(operation - warp.code)];
}

const Operation* BranchForward(Warp& warp, const Operation* operation, uint32_t mask) {
  const Operation* target = warp.code + operation->immediate;
  if (mask == warp.active && (warp.stop == nullptr || target < warp.stop)) return target;
  return warp.branch(operation, target, mask, -1);
}

const Operation* BranchBackward(Warp& warp, const Operation* operation, uint32_t mask) {
  const Operation* target = warp.code + operation->immediate;
  if (mask == warp.active && warp.stop == nullptr && --warp.slice > 0) return target;
  const int64_t loop_end = detail_of(warp, operation).loop_end;
  if (mask == warp.active && (warp.stop == nullptr || warp.code + loop_end + 1 < warp.stop))
    return --warp.slice > 0 ? target : warp.leave(target);
  return warp.branch(operation, target, mask, loop_end);
}

/// Jump to a block that is laid out elsewhere.
const Operation* Jump(Warp& warp, const Operation* operation, uint32_t mask) {
  ++warp.hidden;
  return warp.branch(operation, warp.code + operation->immediate, mask, detail_of(warp, operation).loop_end);
}

const Operation* BranchIndexed(Warp& warp, const Operation* operation, uint32_t mask) {
  const auto& targets = detail_of(warp, operation).targets;
  const auto* index = warp.source<uint32_t>(operation->a);
  const uint32_t rest = warp.active & ~mask;
  if (rest != 0) warp.add_branch(operation + 1, rest, -1);
  for (uint32_t left = mask; left != 0;) {
    const uint32_t wanted = index[std::countr_zero(left)];
    uint32_t lanes = 0;
    for (uint32_t other = left; other != 0; other &= other - 1)
      if (index[std::countr_zero(other)] == wanted) lanes |= other & (0U - other);
    left &= ~lanes;
    if (wanted < targets.size())
      warp.add_branch(warp.code + targets[wanted].operation, lanes, targets[wanted].loop_end);
    else
      warp.add_branch(operation + 1, lanes, -1);  // undefined in PTX; the hardware continues
  }
  return warp.resume(operation);
}

const Operation* Exit(Warp& warp, const Operation* operation, uint32_t mask) {
  warp.machine->barriers().note_exit(mask);
  return warp.exit(operation, mask);
}

/// A kernel that ends without ret.
const Operation* End(Warp& warp, const Operation* operation, uint32_t mask) {
  ++warp.hidden;
  return Exit(warp, operation, mask);
}

const Operation* Trap(Warp& warp, const Operation* operation, uint32_t mask) {
  warp.machine->findings().trap(warp, operation, mask);
  return warp.leave(operation + 1);
}

/// Time is not simulated: the clock counts the warp's instructions, plus the time that it slept or waited (warp.hpp).
/// The run loop adds up instructions only when it is left, so the operation leaves it once.
template <class T, int shift>
const Operation* ReadClock(Warp& warp, const Operation* operation, uint32_t mask) {
  if (warp.clock_read != operation) {
    warp.clock_read = operation;
    ++warp.hidden;
    return warp.leave(operation);
  }
  warp.clock_read = nullptr;
  auto* out = warp.destination<T>(operation->dst);
  for (uint32_t left = mask; left != 0; left &= left - 1)
    out[std::countr_zero(left)] = static_cast<T>((warp.time() - warp.hidden) >> shift);
  return operation + 1;
}

/// nanosleep lets the other warps run from the next backward branch on.
const Operation* Sleep(Warp& warp, const Operation* operation, uint32_t mask) {
  const auto* nanoseconds = warp.source<uint32_t>(operation->a);
  uint32_t longest = 0;
  for (uint32_t left = mask; left != 0; left &= left - 1)
    longest = std::max(longest, nanoseconds[std::countr_zero(left)]);
  warp.skipped += longest;
  warp.slice = std::min(warp.slice, 1);
  return operation + 1;
}

const Operation* Nothing(Warp&, const Operation* operation, uint32_t) { return operation + 1; }

/// Lanes and blocks already see every write in order; but only actions before a fence are published by later writes.
const Operation* Fence(Warp& warp, const Operation* operation, uint32_t) {
  warp.machine->races().watch_fence(warp, false);
  return operation + 1;
}
/// A fence with block scope, or cluster scope, because a cluster is one block here.
const Operation* FenceOfBlock(Warp& warp, const Operation* operation, uint32_t) {
  warp.machine->races().watch_fence(warp, true);
  return operation + 1;
}

}  // namespace

std::span<const IsaRow> control_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_CONTROL
#include "engine/sim/program/isa.def"
#undef ISA_CONTROL
#undef ISA
  };
  return kRows;
}

}  // namespace tilescope
