// What the accesses and the synchronisation of the running block mean for the search for races. The handlers and the
// machine call it; it asks SharedRaces, GlobalRaces and HappensBefore, and notes what they find in the block's record.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/sim/checks/happens_before.hpp"
#include "engine/sim/checks/races_global.hpp"
#include "engine/sim/checks/races_shared.hpp"
#include "engine/sim/state/running.hpp"

namespace tilescope {

/// Has races looked for in what the kernel may write.
void watch_written_memory(LaunchSetup& setup);

class RaceWatch {
 public:
  explicit RaceWatch(Running& running);

  /// A block was made: there are races to be looked for in its shared memory.
  void add_block(Block& block);
  void begin_record(ChunkRecord& record) const;
  /// A different block runs, or its record is a different one.
  void switch_record();
  /// Patterns are about to be destroyed.
  void keep_patterns();
  /// Whether races are looked for in global memory.
  bool watches_global_memory() const { return global_races_ != nullptr; }

  /// Checks an access for races; the site is watched, and all lanes are in its extent. `changed`: the lanes of a store
  /// that change what they find, and `bytes` what it writes, lane by lane. A store is watched before it happens.
  void watch(Warp& warp, SiteState& site, AccessPattern& pattern, uint64_t base, uint32_t changed = 0xffffffff,
             const uint8_t* bytes = nullptr);
  /// Two lanes of a store that write different values to the address of the first.
  void watch_one_store(Warp& warp, SiteState& site, uint32_t first_lane, uint32_t second_lane, uint64_t address);
  /// membar, fence; of the block's scope, or wider.
  void watch_fence(Warp& warp, bool within_block);
  /// An asynchronous copy begins to write to shared memory; the warp has waited for some of its copies.
  void watch_copy(Warp& warp, uint32_t site, AccessPattern& pattern, uint64_t base);
  void watch_copies_end(Warp& warp);
  /// The warp announces at a barrier in shared memory what it has done, or has waited there for the others.
  void watch_release(Warp& warp, uint32_t offset);
  void watch_acquire(Warp& warp, uint32_t offset);
  /// bar.arrive, and whatever else announces what a warp has done without waiting.
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

  // What every access asks for lies together, and is not looked up in `running_`.
  SharedRaces* shared_ = nullptr;              // of the running block; null: nothing to check
  GlobalRaces* global_races_ = nullptr;        // null: nothing to check
  const SiteState* sites_;                     // those of `running_`
  std::unique_ptr<GlobalRaces> launch_races_;  // where blocks see one another; else: those of the record
  HappensBefore order_;                        // between such blocks
  Running& running_;
  const LaunchSetup& setup_;
  const Program& program_;
  std::vector<std::unique_ptr<SharedRaces>> shared_races_;  // one for each block made
};

}  // namespace tilescope
