// Feeds the accesses and synchronization of the running block to the race detectors. The handlers and the machine call
// it; it calls SharedRaces, GlobalRaces and HappensBefore, and stores their findings in the block's record.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/sim/checks/happens_before.hpp"
#include "engine/sim/checks/races_global.hpp"
#include "engine/sim/checks/races_shared.hpp"
#include "engine/sim/state/running.hpp"

namespace tilescope {

/// Enables race detection for the memory that the kernel may write.
void watch_written_memory(LaunchSetup& setup);

class RaceWatch {
 public:
  explicit RaceWatch(Running& running);

  /// A block was created: its shared memory needs race detection.
  void add_block(Block& block);
  void begin_record(ChunkRecord& record) const;
  /// A different block runs, or its record has changed.
  void switch_record();
  /// Patterns are about to be destroyed, so copies must be kept.
  void keep_patterns();
  /// Whether races in global memory are detected.
  bool watches_global_memory() const { return global_races_ != nullptr; }

  /// Checks an access for races; the site is watched, and all lanes are inside its extent. `changed`: the lanes of a
  /// store that change the stored value; `bytes`: the written data, lane by lane. Call before the store happens.
  void watch(Warp& warp, SiteState& site, AccessPattern& pattern, uint64_t base, uint32_t changed = 0xffffffff,
             const uint8_t* bytes = nullptr);
  /// Two lanes of a store write different values to the same address, that of the first.
  void watch_one_store(Warp& warp, SiteState& site, uint32_t first_lane, uint32_t second_lane, uint64_t address);
  /// membar, fence; with the block's scope, or a wider one.
  void watch_fence(Warp& warp, bool within_block);
  /// An asynchronous copy starts to write to shared memory; the warp has waited for some of its copies.
  void watch_copy(Warp& warp, uint32_t site, AccessPattern& pattern, uint64_t base);
  void watch_copies_end(Warp& warp);
  /// At a barrier in shared memory, the warp announces what it has done, or has waited for the others.
  void watch_release(Warp& warp, uint32_t offset);
  void watch_acquire(Warp& warp, uint32_t offset);
  /// bar.arrive, and any other operation that announces what a warp has done without waiting.
  void watch_arrival(Warp& warp, uint32_t barrier);
  /// A barrier opens: the warps that wait at it continue.
  void watch_barrier(Block& block, uint32_t barrier);
  /// The block has ended.
  void watch_end(Block& block);

 private:
  void watch_anew(Warp& warp, SiteState& site, AccessPattern& pattern, uint64_t base, uint32_t changed,
                  const uint8_t* bytes);
  void watch_global(Warp& warp, SiteState& site, const AccessPattern& pattern, uint64_t base, uint32_t changed,
                    const uint8_t* bytes);
  void note_change(const SiteState& site, uint32_t index, const AccessPattern& pattern, uint64_t base,
                   uint32_t changed);
  GlobalAccessor accessor(const Warp& warp, const SiteState& site);
  void report_global_races();
  void report_shared_races(Block& block);
  void add_race(NotedFinding noted);

  uint32_t index_of(const SiteState& site) const { return static_cast<uint32_t>(&site - sites_); }

  // Used by every access, so kept together here instead of being looked up in `running_`.
  SharedRaces* shared_ = nullptr;              // for the running block; null: nothing to check
  GlobalRaces* global_races_ = nullptr;        // null: nothing to check
  const SiteState* sites_;                     // those of `running_`
  std::unique_ptr<GlobalRaces> launch_races_;  // if blocks see each other; else: those of the record
  HappensBefore order_;                        // between such blocks
  Running& running_;
  const LaunchSetup& setup_;
  const Program& program_;
  std::vector<std::unique_ptr<SharedRaces>> shared_races_;  // one for each block created
};

}  // namespace tilescope
