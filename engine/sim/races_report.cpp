// The machine's part in the search for races: what it hands to the checks, and the findings that it makes of races.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/sim/machine.hpp"

namespace tilescope {

void Machine::watch(Warp& warp, SiteState& site, AccessPattern& pattern, uint64_t base, uint32_t changed) {
  const auto index = static_cast<uint32_t>(&site - sites_.data());
  if (site.is_store && changed != 0) note_change(site, index, pattern, base, changed);
  SharedRaces& races = *block_->shared_races;
  races.access(warp.index, warp.synchronisations, index, pattern, static_cast<uint32_t>(base - site.low), changed);
  if (races.has_found()) report_shared_races(*block_);
}

/// Whether the store replaces what was written before by something else.
void Machine::note_change(const SiteState& site, uint32_t index, const AccessPattern& pattern, uint64_t base,
                          uint32_t changed) {
  if (record_->changing_sites.empty()) record_->changing_sites.resize(sites_.size());
  if (record_->changing_sites[index]) return;
  for (const int lane : {std::countr_zero(changed), 31 - std::countl_zero(changed)}) {
    const uint8_t* flags =
        site.written == nullptr ? nullptr : site.written + (base - site.low) + pattern.delta[static_cast<size_t>(lane)];
    if (flags == nullptr || std::memchr(flags, 0, site.bytes_per_lane) == nullptr) {
      record_->changing_sites[index] = true;
      return;
    }
  }
}

void Machine::watch_one_store(Warp& warp, SiteState& site, uint32_t first_lane, uint32_t second_lane,
                              uint64_t address) {
  const auto index = static_cast<uint32_t>(&site - sites_.data());
  block_->shared_races->note_one_store(warp.index, index, first_lane, second_lane,
                                       static_cast<uint32_t>(address - site.low));
  report_shared_races(*block_);
}

void Machine::watch_fence(Warp& warp) {
  if (block_->shared_races == nullptr) return;
  block_->shared_races->fence(warp.index);
  if (block_->shared_races->has_found()) report_shared_races(*block_);
}

void Machine::watch_arrival(Warp& warp, uint32_t barrier) {
  if (block_->shared_races == nullptr) return;
  block_->shared_races->arrive(warp.index, barrier % 16);
  if (block_->shared_races->has_found()) report_shared_races(*block_);
}

/// A barrier opens: whoever waits at it goes on.
void Machine::watch_barrier(Block& block, uint32_t barrier) {
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

void Machine::watch_end(Block& block) {
  if (block.shared_races == nullptr) return;
  block.shared_races->finish();
  if (block.shared_races->has_found()) report_shared_races(block);
}

/// "kernels/x.cu:12", or the instruction where the compiler gave no line.
std::string Machine::place_of(uint32_t operation) const {
  const OperationDetail& detail = program_.details[operation];
  if (detail.line != 0) return fmt::format("{}:{}", program_.files[detail.file], detail.line);
  return std::string(program_.function->instructions[detail.instruction].text);
}

namespace {

std::string_view verb_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
      return "read";
    case AccessKind::store:
      return "write";
    case AccessKind::async_copy:
      return "asynchronous write";
    default:
      return "atomic";
  }
}

std::string thread_text(Dim3 thread) { return fmt::format("thread ({},{},{})", thread.x, thread.y, thread.z); }

}  // namespace

/// Names the writing side first, or of two writes the later one.
void Machine::report_shared_races(Block& block) {
  for (const SharedRace& race : block.shared_races->take_found()) {
    const auto writes = [&](const RaceSide& side) { return program_.sites[side.site].kind != AccessKind::load; };
    const bool second_first = writes(race.second);
    const RaceSide &side = second_first ? race.second : race.first, &other = second_first ? race.first : race.second;
    const MemorySite &site = program_.sites[side.site], &other_site = program_.sites[other.site];
    NotedFinding noted;
    noted.operation = site.operation;
    noted.other = other_site.operation;
    if (race.same_value && race.kind != RaceKind::one_store) noted.doubtful = side.site;
    Finding& finding = noted.finding;
    finding.id = race.kind == RaceKind::volatile_lanes ? "missing-syncwarp" : "shared-race";
    finding.count = race.count;
    const OperationDetail& detail = program_.details[site.operation];
    finding.file = program_.files[detail.file];
    finding.line = detail.line;
    finding.block = block.id;
    finding.thread = unflatten(uint64_t{side.warp} * 32 + side.lane, setup_.block);
    const Extent* extent = memory_.nearest(kSharedWindow);
    finding.buffer = extent->name;
    finding.offset = race.offset;
    const std::string other_thread = thread_text(unflatten(uint64_t{other.warp} * 32 + other.lane, setup_.block));
    std::string_view why = "with no barrier between";
    if (race.kind == RaceKind::within_warp || race.kind == RaceKind::volatile_lanes)
      why = "of the same warp with no __syncwarp() between";
    noted.gives_way = race.kind == RaceKind::within_warp;
    if (race.kind == RaceKind::one_store) why = "by the same instruction with another value";
    finding.message =
        fmt::format("{}: {} of {} bytes at {}, {}, block ({},{},{}) {}, and {} at {} by {} {}",
                    race.kind == RaceKind::volatile_lanes ? "missing syncwarp" : "shared race", verb_of(site.kind),
                    site.bytes_per_lane, place_text(extent, kSharedWindow + race.offset), place_of(site.operation),
                    block.id.x, block.id.y, block.id.z, thread_text(finding.thread), verb_of(other_site.kind),
                    place_of(other_site.operation), other_thread, why);
    add_race(std::move(noted));
  }
}

/// Adds to the finding of the same kind and lines, or begins one.
void Machine::add_race(NotedFinding noted) {
  constexpr size_t kMostFindings = 256;
  for (NotedFinding& other : record_->findings) {
    if (!is_same_finding(program_, noted, other)) continue;
    merge_finding(other, std::move(noted));
    return;
  }
  if (record_->findings.size() < kMostFindings) record_->findings.push_back(std::move(noted));
}

void merge_finding(NotedFinding& into, NotedFinding from) {
  if (into.gives_way && !from.gives_way) std::swap(into, from);
  into.finding.count += from.finding.count;
}

bool is_same_finding(const Program& program, const NotedFinding& a, const NotedFinding& b) {
  if (a.finding.id != b.finding.id || (a.other == kNoIndex) != (b.other == kNoIndex)) return false;
  if (a.doubtful != b.doubtful) return false;
  const auto same_place = [&](uint32_t x, uint32_t y) {
    const OperationDetail &of_x = program.details[x], &of_y = program.details[y];
    if (of_x.line == 0 || of_y.line == 0) return x == y;
    return of_x.line == of_y.line && of_x.file == of_y.file;
  };
  if (!same_place(a.operation, b.operation)) return false;
  return a.other == kNoIndex || same_place(a.other, b.other);
}

}  // namespace tilescope
