#include "engine/sim/machine/hang_watch.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tilescope {
namespace {

/// Number of turns within which a warp must return to a previous state.
constexpr uint32_t kMostTurns = 160;

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

/// Hash of everything, except memory, that determines what a warp does next.
uint64_t state_of(const Warp& warp, const Program& program) {
  uint64_t hash = mix(warp.active, static_cast<uint64_t>(warp.at - warp.code));
  hash = mix(hash, warp.carry);
  uint64_t paths = 0;  // independent of their order
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

/// Runs a turn like run_warp. False: an operation had an effect outside the warp.
bool run_watched(Warp& warp, const Operation* next, const std::vector<bool>& effects) {
  bool quiet = true;
  run_turn(warp, next,
           [&](const Operation* operation) { quiet = quiet && !effects[static_cast<size_t>(operation - warp.code)]; });
  return quiet;
}

/// Instructions that change more than registers. Atomic operations report it themselves.
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

void HangWatch::find_effects() {
  if (!effects_.empty()) return;
  effects_.assign(program_.operations.size(), false);
  for (size_t i = 0; i < effects_.size(); ++i)
    effects_[i] = has_effect(program_.function->instructions[program_.details[i].instruction].opcode);
  // Operations that decoding appends to a kernel do not belong to an instruction.
  for (const MemorySite& site : program_.sites)
    if (site.kind == AccessKind::store || site.kind == AccessKind::async_copy) effects_[site.operation] = true;
}

/// Whether a warp that can run repeats itself.
bool HangWatch::watch_warp(Block& block, Warp& warp) {
  uint64_t seen = state_of(warp, program_);
  for (uint32_t turn = 1; turn <= kMostTurns; ++turn) {
    const uint64_t before = warp.steps, changes = changes_;
    const bool quiet = run_watched(warp, warp.begin_turn(Warp::kShortestTurn, true), effects_);
    block.steps += warp.steps - before;
    if (!quiet || changes_ != changes || warp.state != Warp::State::ready || block.stopped) return false;
    const uint64_t state = state_of(warp, program_);
    if (state == seen) return true;
    if (std::has_single_bit(turn)) seen = state;  // Brent's cycle detection
  }
  return false;
}

bool HangWatch::repeats(Block& block) {
  find_effects();
  return std::all_of(block.warps.begin(), block.warps.end(),
                     [&](Warp& warp) { return warp.state != Warp::State::ready || watch_warp(block, warp); });
}

}  // namespace tilescope
