#include "engine/sim/machine/accesses.hpp"

#include <bit>
#include <cstring>

namespace tilescope {
namespace {

size_t count_rows(const LaunchSetup& setup) { return setup.buffers + 2; }

}  // namespace

Accesses::Accesses(Running& running, Findings& findings, RaceWatch& races)
    : sites_(running.sites.data()),
      setup_(running.setup),
      running_(running),
      program_(running.program),
      findings_(findings),
      races_(races) {
  for (size_t i = 0; i < running.sites.size(); ++i) {
    const MemorySite& site = program_.sites[i];
    running.sites[i].bytes_per_lane = site.bytes_per_lane;
    running.sites[i].narrow_address = site.narrow_address;
    running.sites[i].observed = site.observed;
    running.sites[i].is_store = site.kind == AccessKind::store;
    running.sites[i].is_load = site.kind == AccessKind::load;
    running.sites[i].is_matrix = site.is_matrix;
    running.sites[i].is_async = site.kind == AccessKind::async_copy;
    running.sites[i].lanes_apart = running.sites[i].is_store || running.sites[i].is_matrix || running.sites[i].is_async;
  }
  memo_.set_before_forgetting([&races] { races.keep_patterns(); });
}

void Accesses::begin_record(ChunkRecord& record) {
  record.id = ++records_;
  record.counts.assign(setup_.count ? program_.observed_sites.size() * count_rows(setup_) : 0, {});
}

void Accesses::switch_record() {
  record_ = running_.record;
  record_id_ = record_->id;
  for (SiteState& site : running_.sites) {
    site.low = 1;
    site.high = 0;
    site.count = nullptr;
  }
}

void Accesses::begin_run() {
  recording_ = setup_.record && !record_->recording_ended;
  observing_ = setup_.count || recording_;
}

AccessPattern* Accesses::find_pattern(SiteState& site, const uint64_t* addresses, uint64_t base, uint32_t mask) {
  AccessPattern* pattern = memo_.find(addresses, base, mask, site.bytes_per_lane);
  if (memo_.generation() != memo_generation_) {  // all other patterns are destroyed
    memo_generation_ = memo_.generation();
    for (SiteState& other : running_.sites) other.pattern = nullptr;
  }
  return pattern;
}

bool Accesses::place(SiteState& site, const AccessPattern& pattern, uint64_t base) {
  const Extent* extent = running_.memory.nearest(base);
  if (extent != nullptr) {
    site.low = extent->low;
    site.high = extent->high;
    site.data = extent->data;
    site.written = setup_.checks || extent->space != Space::global ? extent->written : nullptr;
    if (site.is_store && extent->space == Space::global) site.written = extent->written;
    site.written_prefix = &extent->written_prefix;
    site.lane_stride = extent->lane_stride;
    site.is_shared = extent->space == Space::shared;
    site.is_local = extent->space == Space::local;
    site.is_buffer = extent->buffer >= 0;
    site.origin = site.is_local ? kLocalWindow : extent->low;
    site.watched =
        site.is_shared ? running_.block->shared_races != nullptr : extent->watched && races_.watches_global_memory();
  } else {
    site.low = 1;
    site.high = 0;
    site.is_shared = false;
    site.watched = false;
  }
  if (setup_.count && site.observed != 0xffff) {
    const size_t row = extent == nullptr || site.is_shared ? 0
                       : extent->buffer < 0                ? 1
                                                           : 2 + static_cast<size_t>(extent->buffer);
    site.count = &record_->counts[site.observed * count_rows(setup_) + row];
  }
  if (extent != nullptr && site.is_store && extent->read_only) {  // makes every store of this kind take the slow path
    site.low = 1;
    site.high = 0;
  }
  if (extent == nullptr || !pattern.bounded) return false;
  const uint64_t low = base + static_cast<uint64_t>(pattern.lowest), high = base + static_cast<uint64_t>(pattern.end);
  return low >= site.low && high <= site.high && low < high &&
         ((base | pattern.low_bits) & (site.bytes_per_lane - 1)) == 0;
}

void Accesses::number_pattern(AccessPattern& pattern) {
  pattern.record = record_id_;
  pattern.number = static_cast<uint32_t>(record_->patterns.size());
  record_->patterns.push_back(pattern.delta);
}

uint32_t Accesses::locate_lanes(Warp& warp, uint32_t site_index, const uint64_t* addresses, int64_t offset,
                                uint32_t mask, std::array<uint8_t*, 32>& host, uint32_t bytes) {
  const MemorySite& site = program_.sites[site_index];
  const bool writes = writes_memory(site), reads = reads_memory(site);
  if (bytes == 0) bytes = site.bytes_per_lane;
  uint32_t good = 0, unwritten = 0;
  if (writes && !reads && setup_.checks && copies_pending())
    report_not_waited(warp, site_index, addresses, offset, mask);
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint64_t address = addresses[lane] + static_cast<uint64_t>(offset);
    const Extent* near = running_.memory.nearest(address);
    const Extent* extent = running_.memory.find(address, bytes);
    const bool aligned = (address & (site.bytes_per_lane - 1)) == 0;
    const bool read_only = extent != nullptr && writes && extent->read_only;
    const bool local_atomic = extent != nullptr && writes && reads && extent->space == Space::local;
    if (extent == nullptr || !aligned || read_only || local_atomic) {
      const bool released = near != nullptr && near->is_released && address - near->low < near->released_bytes;
      const FindingId id = released            ? FindingId("use-after-free")
                           : extent == nullptr ? FindingId("out-of-bounds")
                           : !aligned          ? FindingId("misaligned")
                           : read_only         ? FindingId("read-only-write")
                                               : FindingId("atomic-on-local");
      if (findings_.count_again(site.operation, 1, id)) continue;
      findings_.report(warp, site.operation, lane, 1, id,
                       phrase("{} of {} bytes at {}", verb_of(site), bytes, findings_.place_text(near, address)), near,
                       near == nullptr ? 0 : static_cast<int64_t>(address - near->low));
      continue;
    }
    good |= 1U << lane;
    const uint64_t in_extent = address - extent->low + uint64_t{lane} * extent->lane_stride;
    const bool local = extent->space == Space::local;
    host[lane] =
        local ? warp.local + (address - kLocalWindow) + uint64_t{lane} * extent->lane_stride : extent->data + in_extent;
    if (extent->written == nullptr) continue;
    if (reads && extent->made_on_read != nullptr) extent->made_on_read->make_contents(in_extent, bytes);
    uint8_t* flags = extent->written + in_extent + (local ? uint64_t{warp.index} * 32 * extent->lane_stride : 0);
    if (reads && setup_.checks && !counts_as_written(flags, bytes, extent->buffer >= 0)) unwritten |= 1U << lane;
    if (writes) std::memset(flags, 1, bytes);
  }
  if (unwritten != 0) report_unwritten(warp, site_index, addresses, offset, unwritten);
  return good;
}

std::span<const uint8_t> Accesses::bytes_at(const Warp& warp, size_t lane, uint64_t address) const {
  const Extent* extent = running_.memory.find(address, 1);
  if (extent == nullptr) return {};
  const uint8_t* host = extent->space == Space::local
                            ? warp.local + (address - kLocalWindow) + lane * extent->lane_stride
                            : extent->data + (address - extent->low);
  return {host, static_cast<size_t>(extent->high - address)};
}

uint32_t Accesses::make_unwritten(const uint64_t* addresses, int64_t offset, uint32_t mask, uint32_t bytes) const {
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint64_t address = addresses[lane] + static_cast<uint64_t>(offset);
    const Extent* extent = running_.memory.find(address, bytes);
    if (extent == nullptr || extent->made_on_read == nullptr) continue;
    extent->made_on_read->make_contents(address - extent->low, bytes);
    mask &= ~(1U << lane);
  }
  return mask;
}

void Accesses::report_unwritten(Warp& warp, uint32_t site_index, const uint64_t* addresses, int64_t offset,
                                uint32_t mask) {
  const MemorySite& site = program_.sites[site_index];
  mask = make_unwritten(addresses, offset, mask, site.bytes_per_lane);
  if (copies_pending()) mask &= ~report_not_waited(warp, site_index, addresses, offset, mask);
  const auto lanes = static_cast<uint32_t>(std::popcount(mask));
  if (lanes == 0 || findings_.count_again(site.operation, lanes, "uninitialised-read")) return;
  const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
  const uint64_t address = addresses[lane] + static_cast<uint64_t>(offset);
  const Extent* extent = running_.memory.nearest(address);
  findings_.report(
      warp, site.operation, lane, lanes, "uninitialised-read",
      phrase("{} of {} bytes at {}", verb_of(site), site.bytes_per_lane, findings_.place_text(extent, address)), extent,
      extent == nullptr ? 0 : static_cast<int64_t>(address - extent->low));
}

AsyncCopies& Accesses::async_copies() {
  if (running_.block->copies == nullptr)
    running_.block->copies = std::make_shared<AsyncCopies>(
        running_.block->shared.data(), setup_.checks ? running_.block->shared_written.data() : nullptr,
        setup_.shared_bytes, running_.block->warps.size());
  return *running_.block->copies;
}

bool Accesses::copies_pending() const { return running_.block->copies != nullptr && running_.block->copies->any(); }

uint32_t Accesses::report_not_waited(Warp& warp, uint32_t site_index, const uint64_t* addresses, int64_t offset,
                                     uint32_t mask) {
  const MemorySite& site = program_.sites[site_index];
  const AsyncCopies::Copy* first = nullptr;
  uint32_t lanes = 0;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    const uint64_t address = addresses[lane] + static_cast<uint64_t>(offset) - kSharedWindow;
    const AsyncCopies::Copy* copy = running_.block->copies->find(address, site.bytes_per_lane);
    if (copy == nullptr) continue;
    if (first == nullptr) first = copy;
    lanes |= 1U << lane;
  }
  if (first == nullptr) return 0;
  const auto count = static_cast<uint32_t>(std::popcount(lanes));
  if (findings_.count_again(site.operation, count, "async-copy-not-waited")) return lanes;
  const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
  const uint64_t address = addresses[lane] + static_cast<uint64_t>(offset);
  const Extent* extent = running_.memory.nearest(address);
  findings_.report(
      warp, site.operation, lane, count, "async-copy-not-waited",
      phrase("{} of {} bytes at {}, whose copy was issued at {}", verb_of(site), site.bytes_per_lane,
             findings_.place_text(extent, address), findings_.line_text(&program_.operations[first->operation])),
      extent, extent == nullptr ? 0 : static_cast<int64_t>(address - extent->low));
  return lanes;
}

void Accesses::forget_written_prefix(uint32_t site_index) {
  if (running_.sites[site_index].written_prefix != nullptr) *running_.sites[site_index].written_prefix = 0;
}

void Accesses::forget_places() {
  for (SiteState& site : running_.sites) {
    site.low = 1;
    site.high = 0;
  }
}

}  // namespace tilescope
