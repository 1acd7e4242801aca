// One host thread's simulated multiprocessor: executes blocks of a launch and notes what they do.
//
//   Running     what the parts share: launch, address space, the block that runs, its record
//   Accesses    where memory instructions go, and what is counted and recorded of it
//   Barriers    who has arrived, and what opens
//   RaceWatch   what the searches for races are told
//   Findings    what is reported, and how it is named
//   HangWatch   whether a block repeats itself for ever
//
// Machine itself makes and begins blocks, and lets their warps take turns (schedule.cpp). Handlers reach it through
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

  /// Memory for one block; nothing if the host has none left.
  std::unique_ptr<Block> make_block();
  void begin(Block& block, uint64_t index);
  enum class Progress : uint8_t { done, turn_over, waits };
  /// Runs the block until it is done, has executed about `steps` instructions, or all its warps only wait in loops.
  /// What it does is noted in `record`, which must stay the same until the block is done.
  Progress run(Block& block, ChunkRecord& record, uint64_t steps);
  /// Ends a block of which nothing more is wanted.
  void leave(Block& block, ChunkRecord& record);
  /// Ends a block that may never end by itself; `reason` says why.
  void give_up(Block& block, ChunkRecord& record, const Phrase& reason);

  /// Whether the block hangs as long as nobody else changes memory (HangWatch); runs each of its warps for a while.
  bool repeats(Block& block, ChunkRecord& record);
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
  Barriers& barriers() { return barriers_; }
  Block& block() { return *running_.block; }
  void print(std::string_view text) { running_.record->print(text); }

 private:
  void switch_to(Block& block, ChunkRecord& record);
  void move_windows(const Block& block);
  void begin_warp(Warp& warp) const;
  void finish(Block& block, ChunkRecord& record);
  /// Whether the warp should continue at once.
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
