// Whose turn is next, of the blocks that run on a GPU's multiprocessors (grid_pace.hpp says how fast).
//
//     ResidentBlocks running(pace, steps_of_turn, multiprocessors, blocks_per_multiprocessor);
//     for (slot …) running.seat(slot, rank);
//     while (!(due = running.next()).empty())
//       for (uint32_t slot : due) …   // work(), seat() or leave(), for each
//
// Slot s is on multiprocessor s mod multiprocessors.
#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "engine/traffic/grid_pace.hpp"

namespace tilescope {

class ResidentBlocks {
 public:
  ResidentBlocks(const GridPace& pace, uint32_t steps_of_turn, uint32_t multiprocessors, uint32_t slots);

  /// A block begins in a slot. Of two on a multiprocessor the one of the lower rank is older.
  void seat(uint32_t slot, uint32_t rank);
  /// The slot's block begins a turn, of whose data `missed_bytes` of `bytes` come from device memory.
  void work(uint32_t slot, uint64_t missed_bytes, uint64_t bytes);
  void leave(uint32_t slot) { slots_[slot].state = State::empty; }

  /// The slots of a multiprocessor whose blocks have ended their turns, or are there to begin their first one; empty:
  /// all slots are. Valid until the next call.
  std::span<const uint32_t> next();

 private:
  enum class State : uint8_t { empty, waits, works, due };
  struct Slot {
    State state = State::empty;
    uint32_t rank = 0;
    double until = 0;  // State::waits
    double left = 0;   // of a turn, when it works
    double rate = 0;   // turns per ns
  };
  struct Processor {
    double time = 0;       // up to which `left` of its slots is as it is
    double next_time = 0;  // of its event in the queue
    double pace = 1;       // above 1: slower
    double start_ns = 0;
  };
  struct Event {
    double time;
    uint32_t rank, processor;
    bool operator>(const Event& other) const { return time != other.time ? time > other.time : rank > other.rank; }
  };

  void advance(uint32_t processor, double time);
  void share(uint32_t processor);
  double wait_for(uint64_t missed_bytes, uint64_t bytes);

  const GridPace pace_;
  const double turn_steps_;
  const uint32_t multiprocessors_;
  std::vector<Slot> slots_;
  std::vector<Processor> processors_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<uint32_t> due_, working_;
  std::vector<uint8_t> touched_;     // by multiprocessor: its slots were given something to do
  std::vector<uint32_t> unsettled_;  // those
  double now_ = 0, device_free_ = 0;
};

}  // namespace tilescope
