#include "engine/sim/machine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/sim/state/async_copies.hpp"
#include "engine/sim/state/block_follower.hpp"
#include "engine/sim/state/special_slots.hpp"

namespace tilescope {
namespace {

size_t count_rows(const LaunchSetup& setup) { return setup.buffers + 2; }

}  // namespace

Machine::Machine(const LaunchSetup& setup)
    : setup_(setup),
      program_(*setup.program),
      running_(setup),
      findings_(running_),
      races_(running_),
      parameters_(setup.parameters) {
  const auto window = [&](uint64_t low, uint64_t bytes, Space space, const char* name, uint32_t lane_stride,
                          bool is_whole = false) {
    Extent extent;
    extent.is_whole = is_whole;
    extent.low = low;
    extent.high = low + bytes;
    extent.space = space;
    extent.name = name;
    extent.lane_stride = lane_stride;
    extent.read_only = space == Space::param;
    if (bytes != 0) running_.memory.add(std::move(extent));
  };
  window(kSharedWindow, setup.shared_bytes, Space::shared, "shared memory", 0);
  for (const LocalVariable& variable : program_.local_variables)
    window(kLocalWindow + variable.offset, variable.bytes, Space::local, "local memory", program_.local_bytes,
           variable.is_argument);
  window(kLocalWindow + program_.stack_offset, program_.local_bytes - program_.stack_offset, Space::local, "the stack",
         program_.local_bytes);
  window(kParameterWindow, parameters_.size(), Space::param, "the parameters", 0);
  running_.memory.move(kParameterWindow, parameters_.data(), nullptr);
  for (size_t i = 0; i < running_.sites.size(); ++i) {
    const MemorySite& site = program_.sites[i];
    running_.sites[i].bytes_per_lane = site.bytes_per_lane;
    running_.sites[i].narrow_address = site.narrow_address;
    running_.sites[i].observed = site.observed;
    running_.sites[i].is_store = site.kind == AccessKind::store;
    running_.sites[i].is_load = site.kind == AccessKind::load;
    running_.sites[i].is_matrix = site.is_matrix;
    running_.sites[i].is_async = site.kind == AccessKind::async_copy;
    running_.sites[i].lanes_apart =
        running_.sites[i].is_store || running_.sites[i].is_matrix || running_.sites[i].is_async;
  }
  memo_.set_before_forgetting([this] { races_.keep_patterns(); });
}

std::unique_ptr<Block> Machine::make_block() {
  auto block = std::make_unique<Block>();
  const auto threads = static_cast<size_t>(setup_.block.count());
  const size_t warps = (threads + 31) / 32;
  const size_t register_bytes = size_t{program_.register_slots} * kSlotBytes;
  block->registers = HostPages(warps * register_bytes);
  block->predicates = HostPages(warps * program_.predicates * sizeof(uint32_t));
  block->uniform = HostPages(program_.uniform.size());
  block->shared = HostPages(setup_.shared_bytes);
  block->shared_written = HostPages(setup_.shared_bytes);
  block->local = HostPages(warps * 32 * program_.local_bytes);
  block->local_written = HostPages(warps * 32 * program_.local_bytes);
  for (const HostPages* pages : {&block->registers, &block->predicates, &block->uniform, &block->shared,
                                 &block->shared_written, &block->local, &block->local_written})
    if (!pages->ok()) return nullptr;
  if (!program_.uniform.empty()) std::memcpy(block->uniform.data(), program_.uniform.data(), program_.uniform.size());
  fill_launch_slots(program_, setup_, block->uniform.data());
  block->warps.resize(warps);
  for (size_t w = 0; w < warps; ++w) {
    Warp& warp = block->warps[w];
    warp.index = static_cast<uint16_t>(w);
    warp.base = {block->registers.data() + w * register_bytes, block->uniform.data()};
    warp.predicates = reinterpret_cast<uint32_t*>(block->predicates.data()) + w * program_.predicates;
    warp.predicates[0] = 0xffffffff;
    warp.code = program_.operations.data();
    if (program_.local_bytes != 0) warp.local = block->local.data() + w * 32 * program_.local_bytes;
    fill_warp_slots(program_, setup_.block, warp);
  }
  races_.add_block(*block);
  if (!program_.subroutines.empty()) {
    block->call_stacks.resize(warps);
    for (size_t w = 0; w < warps; ++w) block->warps[w].call_stacks = &block->call_stacks[w];
  }
  return block;
}

void Machine::begin(Block& block, uint64_t index) {
  block.index = index;
  block.id = unflatten(index, setup_.grid);
  block.steps = 0;
  block.next_warp = 0;
  block.round_waits = block.round_moves = false;
  block.stopped = false;
  block.barriers = {};
  if (block.shared_races != nullptr) block.shared_races->begin();
  if (block.copies != nullptr) block.copies->clear();
  block.time = 0;
  block.live_threads = static_cast<uint32_t>(setup_.block.count());
  fill_block_slots(program_, block.id, index, setup_.multiprocessors, block.uniform.data());
  if (setup_.shared_bytes != 0) std::memset(block.shared_written.data(), 0, setup_.shared_bytes);
  forget_local(block);
  if (running_.block == &block) move_windows(block);
  for (Warp& warp : block.warps) {
    warp.machine = this;
    begin_warp(warp);
  }
}

/// Nothing in the kernel's local variables is written when a block begins. (A stack's frames see to that themselves.)
void Machine::forget_local(Block& block) const {
  for (CallStacks& stacks : block.call_stacks) stacks.clear();
  const size_t threads = block.warps.size() * 32, checked = program_.local_checked_bytes;
  if (checked == 0) return;
  if (checked == program_.local_bytes)
    std::memset(block.local_written.data(), 0, threads * checked);
  else
    for (size_t thread = 0; thread < threads; ++thread)
      std::memset(block.local_written.data() + thread * program_.local_bytes, 0, checked);
}

void Machine::begin_warp(Warp& warp) const {
  const auto threads = static_cast<uint32_t>(setup_.block.count()) - 32U * warp.index;
  warp.live = threads >= 32 ? 0xffffffff : (1U << threads) - 1;
  warp.active = warp.live;
  warp.at = warp.code + program_.entry;
  warp.state = Warp::State::ready;
  warp.path_count = 0;
  warp.lanes_wait = false;
  warp.sequence = 0;
  warp.steps = 0;
  warp.carry = 0;
  warp.synchronisations = 0;
  warp.skipped = 0;
  warp.turn = Warp::kLongestTurn;
  warp.idle_turns = 0;
  warp.let_others_go = false;
  warp.clock_read = nullptr;
  for (uint16_t slot : program_.entry_slots) std::memset(warp.destination<uint8_t>(slot), 0, kSlotBytes);
  for (uint16_t predicate : program_.entry_predicates) warp.predicates[predicate] = 0;
}

void Machine::begin_record(ChunkRecord& record) {
  record.id = ++records_;
  record.counts.assign(setup_.count ? program_.observed_sites.size() * count_rows(setup_) : 0, {});
  races_.begin_record(record);
  running_.record = nullptr;  // so that the sites find their new counts
}

void Machine::switch_to(Block& block, ChunkRecord& record) {
  if (running_.block == &block && running_.record == &record) return;
  running_.block = &block;
  running_.record = &record;
  record_id_ = record.id;
  races_.switch_record();
  move_windows(block);
  for (SiteState& site : running_.sites) {
    site.low = 1;
    site.high = 0;
    site.count = nullptr;
  }
}

/// Shared and local memory are the block's own; nothing in them is written when it begins.
void Machine::move_windows(const Block& block) {
  running_.memory.move(kSharedWindow, block.shared.data(), setup_.checks ? block.shared_written.data() : nullptr);
  running_.memory.move(kLocalWindow, block.local.data(), setup_.checks ? block.local_written.data() : nullptr);
}

void Machine::finish(Block& block, ChunkRecord& record) {
  races_.watch_end(block);
  if (setup_.follower != nullptr && setup_.follower->follows(block)) setup_.follower->end(block);
  record.steps.push_back(block.steps);
  if (recording_) record.accesses_end.push_back(record.accesses.size());
  if (record.accesses.size() > setup_.access_budget) record.recording_ended = true;
  record.stopped = block.stopped;
}

AccessPattern* Machine::find_pattern(SiteState& site, const uint64_t* addresses, uint64_t base, uint32_t mask) {
  AccessPattern* pattern = memo_.find(addresses, base, mask, site.bytes_per_lane);
  if (memo_.generation() != memo_generation_) {  // all others are gone
    memo_generation_ = memo_.generation();
    for (SiteState& other : running_.sites) other.pattern = nullptr;
  }
  return pattern;
}

bool Machine::place(SiteState& site, const AccessPattern& pattern, uint64_t base) {
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
    site.count = &running_.record->counts[site.observed * count_rows(setup_) + row];
  }
  if (extent != nullptr && site.is_store && extent->read_only) {  // so that every such store is looked at
    site.low = 1;
    site.high = 0;
  }
  if (extent == nullptr || !pattern.bounded) return false;
  const uint64_t low = base + static_cast<uint64_t>(pattern.lowest), high = base + static_cast<uint64_t>(pattern.end);
  return low >= site.low && high <= site.high && low < high &&
         ((base | pattern.low_bits) & (site.bytes_per_lane - 1)) == 0;
}

void Machine::number_pattern(AccessPattern& pattern) {
  pattern.record = record_id_;
  pattern.number = static_cast<uint32_t>(running_.record->patterns.size());
  running_.record->patterns.push_back(pattern.delta);
}

uint32_t Machine::locate_lanes(Warp& warp, uint32_t site_index, const uint64_t* addresses, int64_t offset,
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

uint32_t Machine::make_unwritten(const uint64_t* addresses, int64_t offset, uint32_t mask, uint32_t bytes) const {
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

void Machine::report_unwritten(Warp& warp, uint32_t site_index, const uint64_t* addresses, int64_t offset,
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

}  // namespace tilescope
