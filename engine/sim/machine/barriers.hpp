// The barriers of the running block: lanes arrive, a barrier opens for those that wait at it, and anything that keeps
// it from opening is reported.
#pragma once

#include <cstdint>

#include "engine/sim/checks/findings.hpp"
#include "engine/sim/checks/race_watch.hpp"
#include "engine/sim/state/running.hpp"

namespace tilescope {

class Barriers {
 public:
  Barriers(Running& running, Findings& findings, RaceWatch& races)
      : running_(running), setup_(running.setup), findings_(findings), races_(races) {}

  /// Lanes arrive at a barrier, and are parked if they have to wait.
  void arrive(Warp& warp, const Operation* operation, uint32_t lanes, BarrierCall call);
  /// Lanes have left the kernel.
  void note_exit(uint32_t lanes);
  /// Lanes of the warp have left the kernel: the remaining ones may now all have arrived at a barrier.
  void complete_arrival(Warp& warp);
  /// Opens the barriers at which all expected threads have arrived; returns whether there was one.
  bool release(Block& block);
  /// All threads wait for others: reports for each location how many have arrived, and where the others are.
  void report_deadlock(Block& block);

 private:
  bool is_aligned(const Operation* operation) const;
  bool same_count(uint32_t a, uint32_t b) const;
  void mark_arrival(Warp& warp, uint32_t id);
  void report_divergence(Warp& warp, uint32_t id);
  void report_barrier(Block& block, uint32_t barrier, FindingId id, const Phrase& what);

  Running& running_;
  const LaunchSetup& setup_;
  Findings& findings_;
  RaceWatch& races_;
};

// Called by the barriers, implemented with the barrier instructions (isa/execute_barrier.cpp).

/// The barrier of a bar.red has opened: gives its result to the lanes that waited.
void give_votes(Warp& warp, const Operation* operation, uint32_t lanes, const Block::Barrier& barrier);

/// bar.arrive: its lanes do not wait for other warps.
bool goes_on_after(const Operation& operation);

}  // namespace tilescope
