// Resolves the addresses of the running block's memory instructions: what is stored there, whether all lanes may access
// it, and what is recorded about the access.
//
//   find_pattern   the lanes' offsets from each other, computed once per pattern of a kernel
//   place          the extent of a base address, which the instruction's SiteState then caches
//   note           counts and records one access
//   locate_lanes   lane by lane, if the lanes are not all in one extent
//
// The handlers call it at every access: the data of the fast path is inline in SiteState.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/sim/checks/findings.hpp"
#include "engine/sim/checks/race_watch.hpp"
#include "engine/sim/state/async_copies.hpp"
#include "engine/sim/state/observe.hpp"
#include "engine/sim/state/running.hpp"

namespace tilescope {

class Accesses {
 public:
  Accesses(Running& running, Findings& findings, RaceWatch& races);

  /// Patterns are renumbered.
  void begin_record(ChunkRecord& record);
  /// A different block runs, or its record has changed.
  void switch_record();
  /// The block continues: its accesses may start or stop being recorded.
  void begin_run();
  bool recording() const { return recording_; }
  /// Whether accesses must be noted.
  bool observing() const { return observing_; }

  SiteState& site(uint32_t index) { return sites_[index]; }
  AccessPattern* find_pattern(SiteState& site, const uint64_t* addresses, uint64_t base, uint32_t mask);
  /// Looks up the extent at `base`; returns whether all lanes are inside it and aligned.
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
  /// A cp.async.cg was noted as a load; its destination decides how many sectors it takes instead.
  void correct_past_l1(SiteState& site, AccessPattern& source, uint64_t source_base, const AccessPattern& target,
                       uint64_t target_base) {
    if (site.count == nullptr || site.is_shared) return;
    site.count->sectors += count_sectors_past_l1(source, source_base, target, target_base);
    site.count->sectors -= sectors_of(source, source_base);
  }
  /// The host address of each lane with a valid address; the others are reported. Used if the lanes are not all in one
  /// extent, and for atomics.
  uint32_t locate_lanes(Warp& warp, uint32_t site, const uint64_t* addresses, int64_t offset, uint32_t mask,
                        std::array<uint8_t*, 32>& host, uint32_t bytes = 0);
  /// Generates the contents of buffers that are filled on first read. Returns the lanes that read other memory.
  uint32_t make_unwritten(const uint64_t* addresses, int64_t offset, uint32_t mask, uint32_t bytes) const;
  /// Reports the lanes that read bytes never written.
  void report_unwritten(Warp& warp, uint32_t site, const uint64_t* addresses, int64_t offset, uint32_t mask);
  /// 64-bit addresses of an operation's lanes: the register's, or 32-bit ones widened into `space`.
  static const uint64_t* addresses_of(const Warp& warp, const Operation& operation, const SiteState& site,
                                      uint64_t* space) {
    if (!site.narrow_address) return warp.source<uint64_t>(operation.a);
    const auto* narrow = warp.source<uint32_t>(operation.a);
    for (size_t i = 0; i < 32; ++i) space[i] = narrow[i];
    return space;
  }
  /// The extent at an address of global memory; null if there is no buffer or variable.
  const Extent* extent_at(uint64_t address) const { return running_.memory.find(address, 1); }
  /// A lane's memory from an address to the end of its variable; empty if there is none.
  std::span<const uint8_t> bytes_at(const Warp& warp, size_t lane, uint64_t address) const;
  /// Written flags of local memory, for lane 0 of a warp.
  uint8_t* local_written(const Warp& warp) const {
    return running_.block->local_written.data() + size_t{warp.index} * 32 * program_.local_bytes;
  }
  /// Makes the memory instructions look up their extents again.
  void forget_places();

  /// The asynchronous copies of the running block.
  AsyncCopies& async_copies();
  bool copies_pending() const;
  /// Reports the lanes whose bytes in shared memory are still in flight; returns them.
  uint32_t report_not_waited(Warp& warp, uint32_t site, const uint64_t* addresses, int64_t offset, uint32_t mask);
  /// Bytes of the site's extent may be unwritten again, so its written prefix is discarded.
  void forget_written_prefix(uint32_t site);

 private:
  static uint32_t sectors_of(AccessPattern& pattern, uint64_t base) {
    const uint32_t sectors = pattern.sectors[base % 32];
    return sectors != 0 ? sectors : count_sectors(pattern, base);
  }
  void record_access(Warp& warp, const SiteState& site, AccessPattern& pattern, uint64_t base) {
    if (site.observed == 0xffff || record_->accesses.size() > setup_.access_budget) return;
    if (site.is_shared && !setup_.record_shared) return;
    if (pattern.record != record_id_) number_pattern(pattern);
    record_->accesses.push_back({base, static_cast<uint32_t>(running_.block->index), pattern.mask, pattern.number,
                                 warp.sequence++, warp.index, site.observed});
  }
  void number_pattern(AccessPattern& pattern);

  // Used by every access, so kept together here instead of being looked up in `running_`.
  SiteState* sites_;  // those of `running_`
  ChunkRecord* record_ = nullptr;
  const LaunchSetup& setup_;
  uint64_t record_id_ = 0;
  bool observing_ = false, recording_ = false;
  Running& running_;
  const Program& program_;
  Findings& findings_;
  RaceWatch& races_;
  PatternMemo memo_;
  uint64_t memo_generation_ = 0;
  uint64_t records_ = 0;
};

}  // namespace tilescope
