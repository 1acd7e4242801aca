// Calls of subroutines and their returns (PTX ISA 9.0, sections 7.1 and 9.7.12.5). Each lane has its own stack: frames
// in its local memory hold arguments, results and the function's variables; the registers that a caller needs restored
// are kept on the host (call_stacks.hpp).
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "engine/sim/machine/machine.hpp"
#include "engine/sim/program/isa.hpp"
#include "engine/sim/state/call_stacks.hpp"

namespace tilescope {
namespace {

const Program& program_of(const Warp& warp) { return *warp.machine->setup().program; }

void save(Warp& warp, const CallSite& site, size_t lane, std::vector<uint8_t>& saved) {
  const size_t begin = saved.size();
  saved.resize(begin + site.saved_bytes);
  uint8_t* to = saved.data() + begin;
  for (const auto& reg : site.saved) {
    std::memcpy(to, warp.destination<uint8_t>(reg.slot) + lane * reg.bytes, reg.bytes);
    to += reg.bytes;
  }
  for (uint16_t predicate : site.saved_predicates) *to++ = warp.predicates[predicate] >> lane & 1;
}

void restore(Warp& warp, const CallSite& site, size_t lane, std::vector<uint8_t>& saved) {
  const uint8_t* from = saved.data() + saved.size() - site.saved_bytes;
  for (const auto& reg : site.saved) {
    std::memcpy(warp.destination<uint8_t>(reg.slot) + lane * reg.bytes, from, reg.bytes);
    from += reg.bytes;
  }
  for (uint16_t predicate : site.saved_predicates) warp.set_predicate(predicate, 0U - *from++, 1U << lane);
  saved.erase(saved.end() - site.saved_bytes, saved.end());
}

/// Reports lanes whose stacks have no room for a further frame.
const Operation* overflow(Warp& warp, const Operation* operation, const Subroutine& callee, uint32_t lanes) {
  const size_t depth = (*warp.call_stacks)[static_cast<size_t>(std::countr_zero(lanes))].calls.size();
  warp.machine->findings().stop(
      warp, operation, lanes, "stack-overflow",
      phrase("'{}' is called {} calls deep, and the stack of a thread, {} bytes here, is full (does "
             "the recursion end? a GPU gives 1024 bytes unless cudaLimitStackSize asks for more)",
             callee.name, depth + 1, kStackBytes));
  return warp.leave(operation + 1);
}

/// Gives each lane a frame with its arguments, and sends it to the function. False: the block is stopped.
bool enter(Warp& warp, const Operation* operation, const Subroutine& callee, uint32_t lanes) {
  const Program& program = program_of(warp);
  const CallSite& site = program.call_sites[operation->site];
  const auto* caller_frames = warp.source<uint64_t>(operation->a);
  uint8_t* all_written = warp.machine->accesses().local_written(warp);
  auto* frames = warp.destination<uint64_t>(callee.frame_slot);
  uint32_t full = 0;
  for (uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    const uint64_t caller = caller_frames[lane], frame = caller + site.caller_bytes;
    if (frame + callee.frame_bytes > program.local_bytes) {
      full |= left & (~left + 1);
      continue;
    }
    CallStacks::Lane& stack = (*warp.call_stacks)[lane];
    stack.calls.push_back(static_cast<uint32_t>(operation - warp.code));
    save(warp, site, lane, stack.saved);
    uint8_t* local = warp.local + lane * program.local_bytes;
    uint8_t* written = all_written + lane * program.local_bytes + frame;
    for (const auto& copy : site.parameters)
      std::memcpy(local + frame + copy.callee, local + caller + copy.caller, copy.bytes);
    std::memset(written, 1, callee.passed_bytes);
    std::memset(written + callee.passed_bytes, 0, callee.frame_bytes - callee.passed_bytes);
    frames[lane] = frame;
  }
  if (full != 0) {
    overflow(warp, operation, callee, full);
    return false;
  }
  warp.add_branch(warp.code + callee.operation, lanes, -1);
  return true;
}

const Operation* CallSubroutine(Warp& warp, const Operation* operation, uint32_t mask) {
  const Program& program = program_of(warp);
  if (!enter(warp, operation, program.subroutines[program.call_sites[operation->site].subroutine], mask))
    return warp.leave(operation + 1);
  if (const uint32_t rest = warp.active & ~mask; rest != 0) warp.add_branch(operation + 1, rest, -1);
  --warp.slice;
  return warp.resume(operation);
}

/// The function at an address; null if there is none, or its parameters or results differ from the call's.
const Subroutine* find_callee(const Program& program, const CallSite& site, uint64_t address, Phrase& problem) {
  const uint64_t distance = address - kCodeWindow;
  const uint64_t index = distance / kFunctionSpacing;
  if (distance % kFunctionSpacing != 0 || index == 0 || index > program.subroutine_of.size() ||
      program.subroutine_of[index - 1] == kNoIndex) {
    problem = address == 0 ? Phrase("call of a null pointer")
                           : phrase("call of {}, where no function is", fmt::format("{:#x}", address));
    return nullptr;
  }
  const Subroutine& callee = program.subroutines[program.subroutine_of[index - 1]];
  if (callee.results == site.result_bytes && callee.parameters == site.parameter_bytes) return &callee;
  problem = phrase("call of '{}' through a pointer to a function of a different type", callee.name);
  return nullptr;
}

const Operation* CallPointer(Warp& warp, const Operation* operation, uint32_t mask) {
  const Program& program = program_of(warp);
  const auto* pointers = warp.source<uint64_t>(operation->b);
  for (uint32_t left = mask; left != 0;) {
    const uint64_t wanted = pointers[std::countr_zero(left)];
    uint32_t lanes = 0;
    for (uint32_t other = left; other != 0; other &= other - 1)
      if (pointers[std::countr_zero(other)] == wanted) lanes |= other & (~other + 1);
    left &= ~lanes;
    Phrase problem;
    const Subroutine* callee = find_callee(program, program.call_sites[operation->site], wanted, problem);
    if (callee == nullptr) {
      warp.machine->findings().stop(warp, operation, lanes, "bad-function-pointer", problem);
      return warp.leave(operation + 1);
    }
    if (!enter(warp, operation, *callee, lanes)) return warp.leave(operation + 1);
  }
  if (const uint32_t rest = warp.active & ~mask; rest != 0) warp.add_branch(operation + 1, rest, -1);
  --warp.slice;
  return warp.resume(operation);
}

/// Restores the results and registers of a lane's caller, and returns the calling operation.
uint32_t leave(Warp& warp, size_t lane, uint64_t frame) {
  const Program& program = program_of(warp);
  CallStacks::Lane& stack = (*warp.call_stacks)[lane];
  const uint32_t call = stack.calls.back();
  stack.calls.pop_back();
  const CallSite& site = program.call_sites[program.operations[call].site];
  restore(warp, site, lane, stack.saved);
  const uint64_t caller = frame - site.caller_bytes;
  uint8_t* local = warp.local + lane * program.local_bytes;
  uint8_t* written = warp.machine->accesses().local_written(warp) + lane * program.local_bytes;
  for (const auto& copy : site.results) {
    std::memcpy(local + caller + copy.caller, local + frame + copy.callee, copy.bytes);
    std::memset(written + caller + copy.caller, 1, copy.bytes);
  }
  return call;
}

const Operation* ReturnSubroutine(Warp& warp, const Operation* operation, uint32_t mask) {
  std::array<uint64_t, 32> frames;
  std::memcpy(frames.data(), warp.source<uint64_t>(operation->a), sizeof(frames));
  std::array<uint32_t, 32> calls{};
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    calls[lane] = leave(warp, lane, frames[lane]);
  }
  for (uint32_t left = mask; left != 0;) {
    const uint32_t call = calls[static_cast<size_t>(std::countr_zero(left))];
    uint32_t lanes = 0;
    for (uint32_t other = left; other != 0; other &= other - 1)
      if (calls[static_cast<size_t>(std::countr_zero(other))] == call) lanes |= other & (~other + 1);
    left &= ~lanes;
    warp.add_branch(warp.code + call + 1, lanes, -1);
  }
  if (const uint32_t rest = warp.active & ~mask; rest != 0) warp.add_branch(operation + 1, rest, -1);
  return warp.resume(operation);
}

}  // namespace

std::span<const IsaRow> call_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_CALL
#include "engine/sim/program/isa.def"
#undef ISA_CALL
#undef ISA
  };
  return kRows;
}

}  // namespace tilescope
