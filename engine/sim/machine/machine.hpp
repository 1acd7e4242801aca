// One host thread's simulated multiprocessor: executes blocks of a launch and notes what they do.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/executor.hpp"
#include "engine/sim/checks/findings.hpp"
#include "engine/sim/checks/race_watch.hpp"
#include "engine/sim/machine/accesses.hpp"
#include "engine/sim/program/program.hpp"
#include "engine/sim/state/block.hpp"
#include "engine/sim/state/chunk_record.hpp"
#include "engine/sim/state/launch.hpp"
#include "engine/sim/state/memory.hpp"
#include "engine/sim/state/observe.hpp"
#include "engine/sim/state/running.hpp"
#include "engine/sim/state/warp.hpp"

namespace tilescope {

class Machine {
 public:
  explicit Machine(const LaunchSetup& setup);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Memory for one block; nothing if the host has none left.
  std::unique_ptr<Block> make_block();
  void begin(Block& block, uint64_t index);
  enum class Progress : uint8_t { done, turn_over, waits };
  /// Runs the block until it is done, has executed about `steps` instructions, or all its warps only wait in loops.
  /// What it does is noted in `record`, which must stay the same until the block is done.
  Progress run(Block& block, ChunkRecord& record, uint64_t steps);
  /// Ends a block of which no more is wanted.
  void leave(Block& block, ChunkRecord& record);
  /// Ends a block of which no end is to be seen; `reason` says why.
  void give_up(Block& block, ChunkRecord& record, const Phrase& reason);

  /// Hangs (hang_watch.cpp). Whether the block's warps repeat the same states for ever, as long as nobody else changes
  /// memory; runs each of them for a while.
  enum class Watch : uint8_t { moves, repeats };
  Watch watch(Block& block, ChunkRecord& record);
  /// Ends a block that hangs. A reason is given where it waits for blocks that cannot begin.
  void report_hang(Block& block, ChunkRecord& record, const Phrase& reason);
  /// Atomic operations that changed memory, and instructions in a row with which threads only waited.
  uint64_t changes() const { return changes_; }
  uint64_t idle_steps() const { return idle_steps_; }
  void note_update() { ++changes_; }

  /// Begins a new record: patterns are numbered anew.
  void begin_record(ChunkRecord& record);

  // For the handlers.
  const LaunchSetup& setup() const { return setup_; }
  Findings& findings() { return findings_; }
  RaceWatch& races() { return races_; }
  Accesses& accesses() { return accesses_; }
  Block& block() { return *running_.block; }
  /// Barriers (barriers.cpp). Lanes arrive, and are parked if they have to wait.
  void arrive(Warp& warp, const Operation* operation, uint32_t lanes, BarrierCall call);
  /// Lanes of the warp have left the kernel: the others may now all have arrived somewhere.
  void complete_arrival(Warp& warp);
  void print(std::string_view text) { running_.record->print(text); }
  void note_exit(uint32_t lanes);

 private:
  void switch_to(Block& block, ChunkRecord& record);
  void move_windows(const Block& block);
  bool is_aligned(const Operation* operation) const;
  bool same_count(uint32_t a, uint32_t b) const;
  void mark_arrival(Warp& warp, uint32_t id);
  void report_divergence(Warp& warp, uint32_t id);
  void report_deadlock(Block& block);
  bool release_barriers(Block& block);
  void report_barrier(Block& block, uint32_t barrier, FindingId id, const Phrase& what);
  void begin_warp(Warp& warp) const;
  void finish(Block& block, ChunkRecord& record);
  /// Whether the warp should go on at once.
  bool take_turn(Block& block, Warp& warp, ChunkRecord& record);
  bool watch_warp(Block& block, Warp& warp);
  void find_effects();
  void forget_local(Block& block) const;

  const LaunchSetup& setup_;
  const Program& program_;
  Running running_;
  Findings findings_;
  RaceWatch races_;
  Accesses accesses_;
  uint64_t changes_ = 0, idle_steps_ = 0;
  std::vector<bool> effects_;  // by operation: changes more than its warp's registers; filled when first needed
  std::vector<uint8_t> parameters_;
};

}  // namespace tilescope
