// Decides which warp of a block runs next, and for how long.
//
// A warp's turn is limited to a number of backward branches, so that a warp that waits in a loop for a different warp's
// write lets that one continue. A turn that was used up in a loop that may wait (OperationDetail::waits) and in which
// no atomic operation changed memory counts as waiting: the next one is shorter, a different path of the warp goes
// first, and time passes for %clock.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/sim/machine/machine.hpp"
#include "engine/sim/state/block_follower.hpp"

namespace tilescope {
namespace {

/// Consecutive turns used up in a loop that may wait, after which other paths go first even if memory changed.
constexpr uint32_t kPatience = 16;
/// With fewer memory changes than one in this many backward branches, a turn was mostly spent waiting. If there was a
/// change, the warp continues at once, up to kMostInARow times: it may have acquired a lock that all others want.
constexpr uint64_t kTriesToGetOn = 2;
constexpr uint32_t kMostInARow = 64;
/// Time that passes with the first waiting turn; it doubles with each further one.
constexpr uint64_t kShortestWait = 256;
constexpr uint32_t kMostDoublings = 24;

}  // namespace

Machine::Progress Machine::run(Block& block, ChunkRecord& record, uint64_t steps) {
  switch_to(block, record);
  accesses_.begin_run();
  const uint64_t until = block.steps + steps;
  size_t idle = 0;
  while (idle < block.warps.size()) {
    if (block.next_warp >= block.warps.size()) {
      block.next_warp = 0;
      const bool all_wait = block.round_waits && !block.round_moves;
      block.round_waits = block.round_moves = false;
      if (all_wait) return Progress::waits;
    }
    Warp& warp = block.warps[block.next_warp++];
    if (warp.state != Warp::State::ready) {
      if (++idle < block.warps.size()) continue;
      if (block.live_threads == 0 || block.stopped) break;
      if (!barriers_.release(block)) {
        barriers_.report_deadlock(block);
        block.stopped = true;
        break;
      }
      idle = 0;
      continue;
    }
    idle = 0;
    for (uint32_t turns = 1; take_turn(block, warp, record) && turns < kMostInARow; ++turns) {
    }
    if (block.stopped) break;
    barriers_.release(block);
    if (block.steps >= until) return Progress::turn_over;
  }
  finish(block, record);
  return Progress::done;
}

bool Machine::take_turn(Block& block, Warp& warp, ChunkRecord& record) {
  const uint64_t before = warp.steps, changes_before = changes_;
  const Operation* next = warp.begin_turn(warp.turn, warp.let_others_go);
  if (setup_.follower != nullptr && setup_.follower->follows(block))
    setup_.follower->run(block, warp, next);
  else if (setup_.executed != nullptr)
    run_turn(warp, next, [&](const Operation* operation) { ++(*setup_.executed)[operation - warp.code]; });
  else
    run_warp(warp, next);
  const uint64_t steps = warp.steps - before, changed = changes_ - changes_before;
  block.steps += steps;
  const auto at = std::min<size_t>(static_cast<size_t>(warp.at - warp.code), program_.operations.size() - 1);
  record.last_operation = static_cast<uint32_t>(at);
  const bool used_up = warp.state == Warp::State::ready && warp.slice <= 0 && warp.active != 0;
  const bool may_wait = used_up && program_.details[at].waits;
  const bool waits = may_wait && changed == 0;
  (waits ? block.round_waits : block.round_moves) = true;
  // Some lane acquired a lock, while the others keep trying.
  const bool hesitates = may_wait && changed * kTriesToGetOn < static_cast<uint64_t>(warp.turn);
  if (!hesitates) {
    warp.turn = std::min(2 * warp.turn, Warp::kLongestTurn);
    warp.idle_turns = may_wait ? warp.idle_turns + 1 : 0;
    warp.let_others_go = may_wait && warp.idle_turns % kPatience == 0;
    idle_steps_ = 0;
    return false;
  }
  warp.turn = std::max(warp.turn / 2, Warp::kShortestTurn);
  warp.let_others_go = true;
  if (!waits) {
    idle_steps_ = 0;
    return true;
  }
  idle_steps_ += steps;
  warp.skipped += kShortestWait << std::min(warp.idle_turns, kMostDoublings);
  ++warp.idle_turns;
  return false;
}

void Machine::leave(Block& block, ChunkRecord& record) {
  switch_to(block, record);
  finish(block, record);
}

void Machine::give_up(Block& block, ChunkRecord& record, const Phrase& reason) {
  switch_to(block, record);
  for (Warp& warp : block.warps) {
    if (warp.state == Warp::State::finished) continue;
    const uint32_t lanes = warp.active != 0 ? warp.active : warp.live;
    findings_.report(warp, static_cast<uint32_t>(warp.at - warp.code), static_cast<uint32_t>(std::countr_zero(lanes)),
                     1, "step-limit", reason, nullptr, 0);
    break;
  }
  block.stopped = true;
  finish(block, record);
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
  barriers_.report_deadlock(block);
  block.stopped = true;
  finish(block, record);
}

}  // namespace tilescope
