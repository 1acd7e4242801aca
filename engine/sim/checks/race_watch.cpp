#include "engine/sim/checks/race_watch.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/sim/checks/race_findings.hpp"
#include "engine/sim/state/async_copies.hpp"

namespace tilescope {

void watch_written_memory(LaunchSetup& setup) {
  const Program& program = *setup.program;
  const WrittenMemory& written = program.written;
  if (program.sites.size() > 0xffff || setup.grid.count() > 0xffffffff) return;
  if (written.anywhere) setup.memory.watch_all();
  if (written.variables) setup.memory.watch_region(kModuleWindow);
  for (uint32_t offset : written.parameters) {
    uint64_t address = 0;
    if (uint64_t{offset} + sizeof(address) > setup.parameters.size()) continue;
    std::memcpy(&address, setup.parameters.data() + offset, sizeof(address));
    setup.memory.watch(address);
  }
  setup.watch_global = written.anywhere || written.variables || !written.parameters.empty();
}

RaceWatch::RaceWatch(Running& running)
    : sites_(running.sites.data()), running_(running), setup_(running.setup), program_(running.program) {
  if (setup_.watch_global && program_.one_at_a_time) launch_races_ = std::make_unique<GlobalRaces>(program_, &order_);
}

void RaceWatch::add_block(Block& block) {
  if (!setup_.checks || setup_.shared_bytes == 0) return;
  const auto warps = static_cast<uint32_t>(block.warps.size());
  shared_races_.push_back(std::make_unique<SharedRaces>(program_, setup_.shared_bytes, warps));
  block.shared_races = shared_races_.back().get();
}

void RaceWatch::begin_record(ChunkRecord& record) const {
  if (setup_.watch_global && !program_.one_at_a_time && record.global_races == nullptr)
    record.global_races = std::make_shared<GlobalRaces>(program_, nullptr);
}

void RaceWatch::switch_record() {
  shared_ = running_.block->shared_races;
  global_races_ = program_.one_at_a_time ? launch_races_.get() : running_.record->global_races.get();
}

void RaceWatch::keep_patterns() {
  for (auto& races : shared_races_) races->keep_patterns();
}

void RaceWatch::watch(Warp& warp, SiteState& site, AccessPattern& pattern, uint64_t base, uint32_t changed,
                      const uint8_t* bytes) {
  const auto index = index_of(site);
  if (launch_races_ != nullptr && site.is_shared && program_.sites[index].acquires)
    order_.meet(static_cast<uint32_t>(running_.block->index));
  if (site.is_shared && (!site.is_store || changed == 0) &&
      shared_->repeat(warp.index, warp.synchronisations, index, pattern, static_cast<uint32_t>(base - site.low),
                      changed))
    return;
  watch_anew(warp, site, pattern, base, changed, bytes);
}

void RaceWatch::watch_anew(Warp& warp, SiteState& site, AccessPattern& pattern, uint64_t base, uint32_t changed,
                           const uint8_t* bytes) {
  const auto index = index_of(site);
  if (site.is_store && changed != 0) note_change(site, index, pattern, base, changed);
  if (!site.is_shared) {
    watch_global(warp, site, pattern, base, changed, bytes);
    return;
  }
  SharedRaces& races = *shared_;
  races.access(warp.index, warp.synchronisations, index, pattern, static_cast<uint32_t>(base - site.low), changed);
  if (races.has_found()) report_shared_races(*running_.block);
}

/// Notes whether the store replaces an earlier written value by a different one.
void RaceWatch::note_change(const SiteState& site, uint32_t index, const AccessPattern& pattern, uint64_t base,
                            uint32_t changed) {
  if (running_.record->changing_sites.empty()) running_.record->changing_sites.resize(running_.sites.size());
  if (running_.record->changing_sites[index]) return;
  for (const int lane : {std::countr_zero(changed), 31 - std::countl_zero(changed)}) {
    const uint8_t* flags =
        site.written == nullptr ? nullptr : site.written + (base - site.low) + pattern.delta[static_cast<size_t>(lane)];
    if (flags == nullptr || std::memchr(flags, 0, site.bytes_per_lane) == nullptr) {
      running_.record->changing_sites[index] = true;
      return;
    }
  }
}

void RaceWatch::watch_one_store(Warp& warp, SiteState& site, uint32_t first_lane, uint32_t second_lane,
                                uint64_t address) {
  const auto index = index_of(site);
  if (!site.is_shared) {
    GlobalAccessor who = accessor(warp, site);
    who.thread = static_cast<uint16_t>(who.thread + first_lane);
    global_races_->note_one_store(who, warp.index * 32U + second_lane, address);
    report_global_races();
    return;
  }
  shared_->note_one_store(warp.index, index, first_lane, second_lane, static_cast<uint32_t>(address - site.low));
  report_shared_races(*running_.block);
}

void RaceWatch::watch_fence(Warp& warp, bool within_block) {
  if (launch_races_ != nullptr && !within_block) order_.fence(static_cast<uint32_t>(running_.block->index), warp.index);
  if (shared_ == nullptr) return;
  shared_->fence(warp.index);
  if (shared_->has_found()) report_shared_races(*running_.block);
}

void RaceWatch::watch_arrival(Warp& warp, uint32_t barrier) {
  if (shared_ == nullptr) return;
  shared_->arrive(warp.index, barrier % 16);
  if (shared_->has_found()) report_shared_races(*running_.block);
}

void RaceWatch::watch_copy(Warp& warp, uint32_t site_index, AccessPattern& pattern, uint64_t base) {
  shared_->begin_copy(warp.index, site_index, pattern, static_cast<uint32_t>(base - kSharedWindow));
  if (shared_->has_found()) report_shared_races(*running_.block);
}

void RaceWatch::watch_copies_end(Warp& warp) {
  if (shared_ == nullptr || running_.block->copies == nullptr) return;
  shared_->end_copies(warp.index, running_.block->copies->count(warp.index));
  if (shared_->has_found()) report_shared_races(*running_.block);
}

void RaceWatch::watch_release(Warp& warp, uint32_t offset) {
  if (shared_ == nullptr) return;
  shared_->release(warp.index, offset);
  if (shared_->has_found()) report_shared_races(*running_.block);
}

void RaceWatch::watch_acquire(Warp& warp, uint32_t offset) {
  if (launch_races_ != nullptr) order_.meet(static_cast<uint32_t>(running_.block->index));
  if (shared_ == nullptr) return;
  shared_->acquire(warp.index, offset);
  if (shared_->has_found()) report_shared_races(*running_.block);
}

/// A barrier opens: the warps that wait at it continue.
void RaceWatch::watch_barrier(Block& block, uint32_t barrier) {
  ++block.time;
  if (launch_races_ != nullptr) order_.barrier(static_cast<uint32_t>(block.index));
  if (block.shared_races == nullptr) return;
  uint32_t threads = 0, warps = 0;
  for (const Warp& warp : block.warps) {
    for (uint32_t i = 0; i < warp.path_count; ++i) {
      const Warp::Path& path = warp.paths[i];
      if (path.rank != Warp::kWaiting || path.barrier != barrier) continue;
      threads += static_cast<uint32_t>(std::popcount(path.lanes));
      warps |= 1U << warp.index;
    }
  }
  if (threads >= block.live_threads && !block.shared_races->has_arrivals(barrier))
    block.shared_races->meet_all();
  else
    block.shared_races->open(barrier, warps);
  if (block.shared_races->has_found()) report_shared_races(block);
}

GlobalAccessor RaceWatch::accessor(const Warp& warp, const SiteState& site) {
  GlobalAccessor who;
  who.block = static_cast<uint32_t>(running_.block->index);
  who.time = launch_races_ != nullptr ? order_.time(who.block) : running_.block->time;
  who.site = static_cast<uint16_t>(&site - running_.sites.data());
  who.thread = static_cast<uint16_t>(warp.index * 32);
  return who;
}

void RaceWatch::watch_global(Warp& warp, SiteState& site, const AccessPattern& pattern, uint64_t base, uint32_t changed,
                             const uint8_t* bytes) {
  const MemorySite& info = program_.sites[static_cast<size_t>(&site - running_.sites.data())];
  const bool orders = info.is_strong && !info.within_block && launch_races_ != nullptr;
  const auto block = static_cast<uint32_t>(running_.block->index);
  const auto for_each_place = [&](const auto& visit) {
    const bool one = pattern.shape == AccessPattern::Shape::uniform;
    for (uint32_t left = one ? pattern.mask & (0U - pattern.mask) : pattern.mask; left != 0; left &= left - 1)
      visit(base + static_cast<uint64_t>(pattern.delta[static_cast<size_t>(std::countr_zero(left))]));
  };
  if (orders && info.releases) order_.fence(block, warp.index);
  if (orders && info.acquires) for_each_place([&](uint64_t place) { order_.acquire(block, warp.index, place); });
  global_races_->access(accessor(warp, site), pattern, base, bytes, changed);
  if (orders && info.kind != AccessKind::load)
    for_each_place([&](uint64_t place) { order_.publish(block, warp.index, place, info.kind == AccessKind::store); });
  if (global_races_->has_found()) report_global_races();
}

void RaceWatch::report_global_races() {
  for (const GlobalRace& race : global_races_->take_found()) add_race(describe_race(setup_, race));
}

void RaceWatch::watch_end(Block& block) {
  const auto add_expectant = [&](const auto& pairs) {
    running_.record->expectant_reads.insert(pairs.begin(), pairs.end());
  };
  if (launch_races_ != nullptr) add_expectant(launch_races_->expectant_reads());
  if (block.shared_races == nullptr) return;
  add_expectant(block.shared_races->expectant_reads());
  block.shared_races->finish();
  if (block.shared_races->has_found()) report_shared_races(block);
}

void RaceWatch::report_shared_races(Block& block) {
  for (const SharedRace& race : block.shared_races->take_found()) add_race(describe_race(setup_, block.id, race));
}

/// Adds to the finding of the same kind and lines, or starts a new one.
void RaceWatch::add_race(NotedFinding noted) {
  constexpr size_t kMostFindings = 256;
  for (NotedFinding& other : running_.record->findings) {
    if (!is_same_finding(program_, noted, other)) continue;
    merge_finding(other, std::move(noted));
    return;
  }
  if (running_.record->findings.size() < kMostFindings) running_.record->findings.push_back(std::move(noted));
}

}  // namespace tilescope
