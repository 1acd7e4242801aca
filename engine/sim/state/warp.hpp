// One warp while it runs: its registers, and the paths of its lanes.
//
// Lanes at the same operation form a path. The path that is earliest in program order runs until it reaches another
// path, and joins it there. Lanes that have closed a loop wait at its head for those still inside, so that the lanes of
// a loop iterate together.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "engine/sim/program/program.hpp"

namespace tilescope {

class Machine;
class CallStacks;

struct Warp {
  enum class State : uint8_t { ready, at_barrier, finished, trapped };

  struct Path {
    uint64_t rank = 0;  // twice the operation's index; a re-entered loop head ranks just after the loop
    const Operation* at = nullptr;
    uint32_t lanes = 0;
    uint32_t barrier = 0;  // the barrier it waits at, or kForLanes, if its rank says that it waits
    uint32_t members = 0;  // the lanes that it waits for
  };
  static constexpr int32_t kLongestTurn = 256, kShortestTurn = 8;
  static constexpr uint64_t kWaiting = ~uint64_t{0};
  static constexpr uint32_t kForLanes = 16;  // numbered after the block's barriers: waits for lanes of its own warp

  std::array<uint8_t*, 2> base{};  // registers, uniform area
  uint32_t* predicates = nullptr;
  uint32_t active = 0;              // lanes of the running path
  uint32_t live = 0;                // lanes that have not exited
  uint32_t carry = 0;               // lanes whose carry flag (CC.CF) is set
  const Operation* stop = nullptr;  // where the running path must call look_up(): it reaches another path, or must
                                    // pause
  const Operation* code = nullptr;
  Machine* machine = nullptr;
  uint8_t* local = nullptr;  // local memory of lane 0; the next lane's follows
  CallStacks* call_stacks = nullptr;
  int32_t slice = 0;    // backward branches left until the warp pauses
  uint32_t hidden = 0;  // executed jumps that are not PTX instructions
  State state = State::ready;
  uint16_t index = 0;                     // within the block
  uint32_t sequence = 0;                  // accesses so far
  uint32_t synchronisations = 0;          // warp-wide instructions so far, which order the lanes' accesses
  const Operation* clock_read = nullptr;  // a pending read of the clock, which needs `steps` to be up to date
  uint64_t skipped = 0;                   // time that passed while it waited
  int32_t turn = kLongestTurn;            // backward branches in its next turn
  uint32_t idle_turns = 0;                // consecutive turns in which it only waited
  bool let_others_go = false;             // a different path goes first in its next turn
  const Operation* at = nullptr;          // where it continues
  uint64_t steps = 0;                     // instructions executed
  bool lanes_wait = false;                // possibly for lanes of the same warp
  uint32_t path_count = 0;                // waiting paths
  std::array<Path, 34> paths{};

  template <class T>
  T* destination(uint16_t slot) {
    return reinterpret_cast<T*>(base[0] + size_t{slot} * kSlotBytes);
  }
  template <class T>
  const T* source(uint16_t slot) const {
    return reinterpret_cast<const T*>(base[slot >> 15] + size_t{static_cast<uint16_t>(slot & 0x7fff)} * kSlotBytes);
  }
  /// A predicate source: index · 2 + negated.
  uint32_t predicate(uint16_t code_of) const { return predicates[code_of >> 1] ^ (0U - (code_of & 1U)); }
  void set_predicate(uint16_t index_of, uint32_t lanes, uint32_t mask) {
    predicates[index_of] = (predicates[index_of] & ~mask) | (lanes & mask);
  }

  /// Sends the active lanes in `taken` to `target`, the others to the next operation. loop_end is the last operation of
  /// the loop that a backward branch closes; -1 for a forward branch.
  const Operation* branch(const Operation* from, const Operation* target, uint32_t taken, int64_t loop_end);
  /// Adds one path of a branch with many targets; resume() then returns where to continue.
  void add_branch(const Operation* target, uint32_t lanes, int64_t loop_end);
  /// The earliest waiting path becomes the running one; without any, the warp stops.
  const Operation* resume(const Operation* from);
  /// The lanes leave the kernel.
  const Operation* exit(const Operation* from, uint32_t lanes);
  /// The lanes wait and will continue at `where`; the caller then continues with the rest of the warp.
  void park(const Operation* where, uint32_t lanes, uint32_t barrier, uint32_t members = 0);
  /// The active lanes, if any are left, continue after `from` when it is their turn.
  const Operation* go_on(const Operation* from);
  /// Lanes have left the kernel: lanes that waited for them may continue (isa/warp_sync.cpp).
  void lanes_left();
  /// Leaves the run loop: the warp has finished, or its turn has.
  const Operation* leave(const Operation* next) {
    stop = next;
    return next;
  }
  /// The running path has reached `stop`: it joins another path, or lets an earlier one go first. False: the warp
  /// stops.
  bool look_up(const Operation*& next);
  /// A barrier has opened: the lanes that waited at it continue.
  void release(uint32_t barrier);
  /// The lanes that wait at a barrier.
  uint32_t waiting_at(uint32_t barrier) const;
  /// Where the warp begins its next turn, of at most `turn_slice` backward branches. A warp whose lanes may wait for
  /// each other's writes lets a different path go first.
  const Operation* begin_turn(int32_t turn_slice, bool others_first);
  /// The value of %clock: warp instructions so far, plus the time that passed while it waited.
  uint64_t time() const { return steps + skipped; }
  uint64_t rank_of(const Operation* where) const { return 2 * static_cast<uint64_t>(where - code); }

 private:
  void add_path(uint64_t rank, const Operation* where, uint32_t lanes, uint32_t barrier = 0, uint32_t members = 0);
  const Operation* take(uint32_t path);
  void find_stop(uint64_t rank);
};

/// Runs a warp like run_warp, and calls each(operation) before each operation.
template <class Each>
void run_turn(Warp& warp, const Operation* next, const Each& each) {
  do {
    uint64_t steps = 0;
    do {
      uint32_t mask = warp.active;
      ++steps;
      if (next->guard != 0) {
        mask &= warp.predicate(next->guard);
        if (mask == 0) {
          ++next;
          continue;
        }
      }
      each(next);
      next = next->run(warp, next, mask);
    } while (next != warp.stop);
    warp.steps += steps;
  } while (warp.look_up(next));
  warp.steps -= warp.hidden;
  warp.hidden = 0;
}

/// Runs a warp from `next` until it finishes, waits at a barrier, traps, or has used up its turn.
void run_warp(Warp& warp, const Operation* next);

}  // namespace tilescope
