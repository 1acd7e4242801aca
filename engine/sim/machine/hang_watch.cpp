// Proves that a block hangs: each of its warps waits at a barrier, or comes back to a state in which it has been before
// without anything but its own registers having changed. As long as nobody else writes to memory, it then goes on like
// that for ever. What is not proved (a loop that counts, say) is left to the budgets of instructions.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/sim/machine/machine.hpp"

namespace tilescope {
namespace {

/// Turns within which a warp has to come back to where it was.
constexpr uint32_t kMostTurns = 160;

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

/// Everything that decides what a warp does next, but for memory.
uint64_t state_of(const Warp& warp, const Program& program) {
  uint64_t hash = mix(warp.active, static_cast<uint64_t>(warp.at - warp.code));
  hash = mix(hash, warp.carry);
  uint64_t paths = 0;  // their order makes no difference
  for (uint32_t i = 0; i < warp.path_count; ++i) {
    const Warp::Path& path = warp.paths[i];
    paths += mix(mix(path.rank, path.lanes), static_cast<uint64_t>(path.at - warp.code) << 8 | path.barrier);
  }
  hash = mix(hash, paths);
  for (uint32_t i = 0; i < program.predicates; ++i) hash = mix(hash, warp.predicates[i]);
  const auto* words = reinterpret_cast<const uint64_t*>(warp.base[0]);
  const size_t count = size_t{program.register_slots} * kSlotBytes / sizeof(uint64_t);
  for (size_t i = 0; i < count; ++i) hash = mix(hash, words[i]);
  return hash;
}

/// Runs a turn as run_warp does. False: an operation had an effect outside of the warp.
bool run_watched(Warp& warp, const Operation* next, const std::vector<bool>& effects) {
  bool quiet = true;
  run_turn(warp, next,
           [&](const Operation* operation) { quiet = quiet && !effects[static_cast<size_t>(operation - warp.code)]; });
  return quiet;
}

/// Instructions that change more than registers. Atomic operations say themselves whether they did.
bool has_effect(std::string_view opcode) {
  constexpr std::string_view kHeads[] = {"st",      "stmatrix", "cp",      "bar",        "barrier",       "mbarrier",
                                         "call",    "return",   "ret",     "exit",       "trap",          "wgmma",
                                         "tcgen05", "multimem", "discard", "setmaxnreg", "griddepcontrol"};
  const std::string_view head = opcode.substr(0, opcode.find_first_of(". "));
  if (opcode.starts_with("bar.warp") || opcode.starts_with("mbarrier.test_wait") ||
      opcode.starts_with("mbarrier.try_wait"))
    return false;
  return std::find(std::begin(kHeads), std::end(kHeads), head) != std::end(kHeads);
}

}  // namespace

void Machine::find_effects() {
  if (!effects_.empty()) return;
  effects_.assign(program_.operations.size(), false);
  for (size_t i = 0; i < effects_.size(); ++i)
    effects_[i] = has_effect(program_.function->instructions[program_.details[i].instruction].opcode);
  // What decoding adds to the end of a kernel belongs to no instruction of its own.
  for (const MemorySite& site : program_.sites)
    if (site.kind == AccessKind::store || site.kind == AccessKind::async_copy) effects_[site.operation] = true;
}

/// Whether a warp that can run repeats itself.
bool Machine::watch_warp(Block& block, Warp& warp) {
  uint64_t seen = state_of(warp, program_);
  for (uint32_t turn = 1; turn <= kMostTurns; ++turn) {
    const uint64_t before = warp.steps, changes = changes_;
    const bool quiet = run_watched(warp, warp.begin_turn(Warp::kShortestTurn, true), effects_);
    block.steps += warp.steps - before;
    if (!quiet || changes_ != changes || warp.state != Warp::State::ready || block.stopped) return false;
    const uint64_t state = state_of(warp, program_);
    if (state == seen) return true;
    if (std::has_single_bit(turn)) seen = state;  // Brent's search for a cycle
  }
  return false;
}

Machine::Watch Machine::watch(Block& block, ChunkRecord& record) {
  switch_to(block, record);
  find_effects();
  for (Warp& warp : block.warps)
    if (warp.state == Warp::State::ready && !watch_warp(block, warp)) return Watch::moves;
  return Watch::repeats;
}

void Machine::report_hang(Block& block, ChunkRecord& record, const Phrase& reason) {
  switch_to(block, record);
  for (Warp& warp : block.warps) {
    if (warp.state != Warp::State::ready) continue;
    for (uint32_t i = 0; i <= warp.path_count; ++i) {
      const bool running = i == warp.path_count;
      const uint32_t lanes = running ? warp.active : warp.paths[i].lanes;
      if (lanes == 0 || (!running && warp.paths[i].rank == Warp::kWaiting)) continue;
      const Operation* at = running ? warp.at : warp.paths[i].at;
      const bool waits = program_.details[static_cast<size_t>(at - warp.code)].waits;
      if (!reason.empty() && waits)
        findings_.report_lanes(warp, at, lanes, "deadlock", reason);
      else
        findings_.report_lanes(warp, at, lanes, "step-limit",
                               waits
                                   ? Phrase("this loop waits forever: no thread that still runs does what it waits for")
                                   : Phrase("this loop never ends: it repeats itself and changes nothing"));
    }
  }
  report_deadlock(block);
  block.stopped = true;
  finish(block, record);
}

}  // namespace tilescope
