// Decides which of the blocks running on a GPU's SMs takes the next turn (processor_paces.hpp defines the speeds).
//
//     ResidentBlocks running(pace, clusters, steps_of_turn, slots);
//     for (slot …) running.seat(slot, rank);
//     while (!(due = running.next()).empty())
//       for (uint32_t slot : due) …   // work(), seat() or leave(), for each
//
// Slot s is on SM s modulo the number of SMs.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/traffic/block_order/processor_paces.hpp"

namespace tilescope {

class ResidentBlocks {
 public:
  ResidentBlocks(const GridPace& pace, const GpuClusters& clusters, uint32_t steps_of_turn, uint32_t slots);

  /// A block starts in a slot. On each SM, blocks with lower ranks are older.
  void seat(uint32_t slot, uint32_t rank);
  /// The slot's block starts a turn; `missed_bytes` of its `bytes` come from device memory, others are in the L2 or
  /// arrive there until `arrival_ns`. Returns when the last of them has arrived.
  double work(uint32_t slot, uint64_t missed_bytes, uint64_t bytes, double arrival_ns = 0);
  void leave(uint32_t slot) { slots_[places_[slot]].state = State::empty; }

  /// The slots of one SM whose blocks have ended their turns, or are ready to start their first one; empty if all slots
  /// are empty. Valid until the next call.
  std::span<const uint32_t> next();
  double now_ns() const { return now_; }

 private:
  enum class State : uint8_t { empty, waits, works, due };
  struct Slot {
    State state = State::empty;
    uint32_t number = 0;  // the caller's slot number
    uint32_t rank = 0;
    double until = 0;  // State::waits
    double left = 0;   // rest of a turn, while it works
    double rate = 0;   // turns per ns
  };
  struct Processor {
    double time = 0;  // up to which `left` of its slots is updated
    ProcessorPace pace = {};
  };
  /// The next state change of an SM, with the rank of the block that causes it. Times are not negative, so their bits
  /// compare in the same order.
  struct Event {
    uint64_t time_bits = 0;
    uint32_t rank = 0, processor = 0;
    double time() const { return std::bit_cast<double>(time_bits); }
    uint64_t second() const { return uint64_t{rank} << 32 | processor; }
  };
  static Event earlier(Event a, Event b);
  /// The earliest of the SMs' events: a tournament tree.
  class Earliest {
   public:
    explicit Earliest(uint32_t count);
    void put(Event event);
    const Event& event() const { return winners_[1]; }

   private:
    uint32_t leaves_ = 1;         // a power of two
    std::vector<Event> winners_;  // 1: of all; 2n and 2n + 1: of the halves below n; from leaves_ on by SM
  };

  std::span<Slot> slots_of(uint32_t processor);
  void advance(uint32_t processor, double time);
  void share(uint32_t processor);
  double excess_of(double ns) const;
  double wait_for(uint64_t missed_bytes, uint64_t bytes);

  const GridPace pace_;
  const double turn_steps_;
  const uint32_t multiprocessors_, slot_count_, slots_each_;
  const double hidden_ns_;        // latency hidden by each copy in flight: the time of a block's step
  std::vector<Slot> slots_;       // those of an SM contiguous, by rank
  std::vector<uint32_t> places_;  // index in slots_, by the slot's number
  std::vector<Processor> processors_;
  Earliest events_;
  std::vector<uint32_t> due_;
  std::vector<Slot*> working_;
  std::vector<uint8_t> touched_;     // by SM: its slots were given work
  std::vector<uint32_t> unsettled_;  // the SMs in touched_
  double now_ = 0, device_free_ = 0;
};

}  // namespace tilescope
