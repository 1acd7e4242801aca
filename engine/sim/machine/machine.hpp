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
  SiteState& site(uint32_t index) { return running_.sites[index]; }
  bool observing() const { return observing_; }
  AccessPattern* find_pattern(SiteState& site, const uint64_t* addresses, uint64_t base, uint32_t mask);
  /// Looks up the extent at `base`; whether all lanes are inside of it and aligned.
  bool place(SiteState& site, const AccessPattern& pattern, uint64_t base);
  /// Counts and records one access.
  void note(Warp& warp, SiteState& site, AccessPattern& pattern, uint64_t base) {
    if (site.count != nullptr) {
      SiteCount& count = *site.count;
      ++count.requests;
      count.lanes += pattern.lanes;
      count.useful_bytes += pattern.useful_bytes;
      if (site.is_shared) {
        BankCost cost = pattern.bank_costs[site.lanes_apart ? 1 : 0][base % 4];
        if (cost.wavefronts == 0) cost = count_bank_cost(pattern, base, site.lanes_apart);
        count.wavefronts += cost.wavefronts;
        count.passes += cost.passes;
      } else {
        count.sectors += sectors_of(pattern, base);
      }
    }
    if (recording_) record_access(warp, site, pattern, base);
  }
  /// A cp.async.cg was noted as a load; where it writes says how many sectors it takes instead.
  void correct_past_l1(SiteState& site, AccessPattern& source, uint64_t source_base, const AccessPattern& target,
                       uint64_t target_base) {
    if (site.count == nullptr || site.is_shared) return;
    site.count->sectors += count_sectors_past_l1(source, source_base, target, target_base);
    site.count->sectors -= sectors_of(source, source_base);
  }
  /// The host address of each lane that may go on; the others are reported. Used where the lanes are not all in one
  /// extent, and for atomics.
  uint32_t locate_lanes(Warp& warp, uint32_t site, const uint64_t* addresses, int64_t offset, uint32_t mask,
                        std::array<uint8_t*, 32>& host, uint32_t bytes = 0);
  /// Makes the contents of buffers that are made when they are first read. Returns the lanes that read other memory.
  uint32_t make_unwritten(const uint64_t* addresses, int64_t offset, uint32_t mask, uint32_t bytes) const;
  /// Reports the lanes that read bytes which were never written.
  void report_unwritten(Warp& warp, uint32_t site, const uint64_t* addresses, int64_t offset, uint32_t mask);
  /// 64-bit addresses of an operation's lanes: those in the register, or 32-bit ones widened into `space`.
  static const uint64_t* addresses_of(const Warp& warp, const Operation& operation, const SiteState& site,
                                      uint64_t* space) {
    if (!site.narrow_address) return warp.source<uint64_t>(operation.a);
    const auto* narrow = warp.source<uint32_t>(operation.a);
    for (size_t i = 0; i < 32; ++i) space[i] = narrow[i];
    return space;
  }
  /// Asynchronous copies (machine_async.cpp). Those of the running block:
  AsyncCopies& async_copies();
  bool copies_pending() const;
  /// Reports the lanes whose bytes in shared memory are still on their way there; returns them.
  uint32_t report_not_waited(Warp& warp, uint32_t site, const uint64_t* addresses, int64_t offset, uint32_t mask);
  /// Bytes of the site's extent count as not written again.
  void forget_written_prefix(uint32_t site);
  Block& block() { return *running_.block; }
  /// Barriers (barriers.cpp). Lanes arrive, and are parked if they have to wait.
  void arrive(Warp& warp, const Operation* operation, uint32_t lanes, BarrierCall call);
  /// Lanes of the warp have left the kernel: the others may now all have arrived somewhere.
  void complete_arrival(Warp& warp);
  /// A lane's memory from an address to the end of its variable; empty if nothing is there.
  std::span<const uint8_t> bytes_at(const Warp& warp, size_t lane, uint64_t address) const;
  void print(std::string_view text) { running_.record->print(text); }
  /// What lies at an address of global memory; nothing if there is no buffer or variable.
  const Extent* extent_at(uint64_t address) const { return running_.memory.find(address, 1); }
  /// The memory instructions look up anew where their addresses are.
  void forget_places();
  /// Flags of local memory, of lane 0 of a warp.
  uint8_t* local_written(const Warp& warp) const {
    return running_.block->local_written.data() + size_t{warp.index} * 32 * program_.local_bytes;
  }
  void note_exit(uint32_t lanes);

 private:
  static uint32_t sectors_of(AccessPattern& pattern, uint64_t base) {
    const uint32_t sectors = pattern.sectors[base % 32];
    return sectors != 0 ? sectors : count_sectors(pattern, base);
  }
  void record_access(Warp& warp, const SiteState& site, AccessPattern& pattern, uint64_t base) {
    if (site.observed == 0xffff || running_.record->accesses.size() > setup_.access_budget) return;
    if (site.is_shared && !setup_.record_shared) return;
    if (pattern.record != record_id_) number_pattern(pattern);
    running_.record->accesses.push_back({base, static_cast<uint32_t>(running_.block->index), pattern.mask,
                                         pattern.number, warp.sequence++, warp.index, site.observed});
  }
  void number_pattern(AccessPattern& pattern);
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
  PatternMemo memo_;
  uint64_t memo_generation_ = 0;
  uint64_t records_ = 0;
  uint64_t record_id_ = 0;
  uint64_t changes_ = 0, idle_steps_ = 0;
  std::vector<bool> effects_;  // by operation: changes more than its warp's registers; filled when first needed
  bool observing_ = false;
  bool recording_ = false;
  std::vector<uint8_t> parameters_;
};

}  // namespace tilescope
