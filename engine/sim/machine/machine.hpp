// One host thread's simulated SM: executes blocks of a launch and records what they do.
//
//   Running     state shared by the parts: launch, address space, the running block, its record
//   Accesses    resolves addresses of memory instructions, counts and records the accesses
//   Barriers    tracks arrivals, and opens barriers
//   RaceWatch   feeds the race detectors
//   Findings    reports errors, and names the code and memory involved
//   HangWatch   detects a block that repeats itself forever
//
// Machine itself creates and starts blocks, and schedules their warps (schedule.cpp). Handlers reach it through
// Warp::machine, and call the part that they need.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/sim/checks/findings.hpp"
#include "engine/sim/checks/race_watch.hpp"
#include "engine/sim/machine/accesses.hpp"
#include "engine/sim/machine/barriers.hpp"
#include "engine/sim/machine/hang_watch.hpp"
#include "engine/sim/program/program.hpp"
#include "engine/sim/state/block.hpp"
#include "engine/sim/state/chunk_record.hpp"
#include "engine/sim/state/launch.hpp"
#include "engine/sim/state/running.hpp"
#include "engine/sim/state/warp.hpp"

namespace tilescope {

class Machine {
 public:
  explicit Machine(const LaunchSetup& setup);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Memory for one block; null if the host is out of memory.
  std::unique_ptr<Block> make_block();
  void begin(Block& block, uint64_t index);
  enum class Progress : uint8_t { done, turn_over, waits };
  /// Runs the block until it is done, has executed about `steps` instructions, or all its warps only wait in loops. Its
  /// actions are recorded in `record`, which must stay the same until the block is done.
  Progress run(Block& block, ChunkRecord& record, uint64_t steps);
  /// Ends a block that needs no further execution.
  void leave(Block& block, ChunkRecord& record);
  /// Ends a block that may never end by itself; `reason` says why.
  void give_up(Block& block, ChunkRecord& record, const Phrase& reason);

  /// Whether the block hangs unless other blocks change memory (HangWatch); runs each of its warps for a while.
  bool repeats(Block& block, ChunkRecord& record);
  /// Ends a block that hangs. `reason` is given if it waits for blocks that cannot start.
  void report_hang(Block& block, ChunkRecord& record, const Phrase& reason);
  /// Number of atomic operations that changed memory, and of consecutive instructions in which threads only waited.
  uint64_t changes() const { return changes_; }
  uint64_t idle_steps() const { return idle_steps_; }
  void note_update() { ++changes_; }

  /// Begins a new record: patterns are renumbered.
  void begin_record(ChunkRecord& record);

  // For the handlers.
  const LaunchSetup& setup() const { return setup_; }
  Findings& findings() { return findings_; }
  RaceWatch& races() { return races_; }
  Accesses& accesses() { return accesses_; }
  Barriers& barriers() { return barriers_; }
  Block& block() { return *running_.block; }
  void print(std::string_view text) { running_.record->print(text); }

 private:
  void switch_to(Block& block, ChunkRecord& record);
  void move_windows(const Block& block);
  void begin_warp(Warp& warp) const;
  void finish(Block& block, ChunkRecord& record);
  /// Returns whether the warp should continue immediately.
  bool take_turn(Block& block, Warp& warp, ChunkRecord& record);
  void forget_local(Block& block) const;

  const LaunchSetup& setup_;
  const Program& program_;
  Running running_;
  Findings findings_;
  RaceWatch races_;
  Accesses accesses_;
  Barriers barriers_;
  uint64_t changes_ = 0, idle_steps_ = 0;
  HangWatch hang_watch_;
  std::vector<uint8_t> parameters_;
};

}  // namespace tilescope
