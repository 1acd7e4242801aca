#include "engine/traffic/caches/hierarchy.hpp"

#include <algorithm>
#include <bit>
#include <deque>

#include "engine/traffic/access/access_lines.hpp"
#include "engine/traffic/access/coalesce.hpp"
#include "engine/traffic/caches/sector_cache.hpp"

namespace tilescope {
namespace {

/// The route of a memory instruction's accesses through the levels.
enum class Route : uint8_t { none, load, load_past_l1, store, atomic };

bool names(const std::string& ptx, std::string_view modifier) {
  const std::string_view opcode = std::string_view(ptx).substr(0, ptx.find(' '));
  return opcode.find(modifier) != std::string_view::npos;
}

Route route_of(const Site& site) {
  if (site.space != Space::global) return Route::none;
  switch (site.kind) {
    case AccessKind::store:
      return Route::store;
    case AccessKind::atomic:
    case AccessKind::reduction:
      return Route::atomic;
    case AccessKind::async_copy:
      return names(site.ptx, ".ca") ? Route::load : Route::load_past_l1;
    case AccessKind::load:
      break;
  }
  // PTX ISA, "Cache Operators" and "Memory Consistency Model": these must see writes by other SMs.
  for (const char* modifier : {".cg", ".cv", ".volatile", ".relaxed", ".acquire", ".mmio"})
    if (names(site.ptx, modifier)) return Route::load_past_l1;
  return Route::load;
}

/// Gives every buffer an address in one memory, as an allocator would, in lines of 128 bytes.
class Placement {
 public:
  explicit Placement(std::span<const BufferSpec> buffers) {
    uint64_t next = 0;
    for (const BufferSpec& buffer : buffers) {
      first_.push_back(static_cast<uint32_t>(next));
      const uint64_t bytes = static_cast<uint64_t>(buffer.count()) * size_of(buffer.type);
      // cudaMalloc's alignment, plus space for a few bytes that a kernel reads past the end.
      next += (bytes / 512 + 2) * (512 / kLineBytes);
    }
    other_ = static_cast<uint32_t>(next);
  }

  struct Place {
    uint32_t line = 0;
    uint32_t buffer = 0;  // for `other`: the number of buffers
  };
  Place of(uint64_t address) const {
    const RegionOffset region = region_of(address);
    const auto offset_line = static_cast<uint32_t>(region.offset / static_cast<int64_t>(kLineBytes));
    if (region.buffer >= 0 && static_cast<size_t>(region.buffer) < first_.size())
      return {first_[static_cast<size_t>(region.buffer)] + offset_line, static_cast<uint32_t>(region.buffer)};
    // Module variables and the heap each get a quarter of the remaining 32-bit range.
    return {other_ + (static_cast<uint32_t>(region.buffer & 3) << 28) + offset_line,
            static_cast<uint32_t>(first_.size())};
  }
  uint32_t buffer_of(uint32_t line) const {
    if (line >= other_) return static_cast<uint32_t>(first_.size());
    return static_cast<uint32_t>(std::ranges::upper_bound(first_, line) - first_.begin()) - 1;
  }

 private:
  std::vector<uint32_t> first_;
  uint32_t other_ = 0;
};

uint64_t count(unsigned sectors) { return static_cast<uint64_t>(std::popcount(sectors)); }

/// The L2 with its partitions, and device memory behind it.
class SharedLevel {
 public:
  SharedLevel(const GpuSpec& gpu, const Placement& placement, std::vector<HierarchyUse>& uses)
      : partitions_(std::max(1U, gpu.l2_partitions)), placement_(placement), uses_(uses) {
    for (uint32_t i = 0; i < partitions_; ++i) caches_.emplace_back(gpu.l2_bytes / partitions_);
    written_.resize(partitions_);
  }

  /// side: the partition beside the requesting SM.
  void read(uint32_t side, Placement::Place place, unsigned sectors) {
    LevelTraffic& level = uses_[place.buffer].l2;
    const uint32_t home = home_of(place.line);
    if (side != home) {
      SectorCache::State& copy = *entry_of(side, place.line).state;
      const unsigned here = sectors & copy.valid;
      level.read_sectors += count(sectors);
      level.read_hits += count(here);
      copy.valid |= static_cast<uint8_t>(sectors);
      sectors &= ~here;
      if (sectors == 0) return;
      level.far_sectors += count(sectors);
    }
    SectorCache::State& state = *entry_of(home, place.line).state;
    level.read_sectors += count(sectors);
    level.read_hits += count(sectors & state.valid);
    fetch(place.buffer, state, sectors);
  }
  void write(uint32_t side, Placement::Place place, const LinePart& part) {
    LevelTraffic& level = uses_[place.buffer].l2;
    const uint32_t home = home_of(place.line);
    const uint64_t asked = count(part.sectors) * (side == home ? 1 : 2);
    level.far_sectors += asked - count(part.sectors);
    level.write_sectors += asked;
    level.write_hits += asked;
    drop_copies(home, place.line, part.sectors);
    const SectorCache::Entry entry = entry_of(home, place.line);
    SectorCache::State& state = *entry.state;
    const unsigned in_part = part.sectors & ~unsigned{part.whole} & ~unsigned{state.valid};
    state.valid |= part.whole;
    state.dirty |= part.sectors;
    state.partial &= static_cast<uint8_t>(~part.whole);
    if (in_part != 0) write_in_part(home, entry, part, in_part);
  }
  void update(uint32_t side, Placement::Place place, unsigned sectors) {
    LevelTraffic& level = uses_[place.buffer].l2;
    const uint32_t home = home_of(place.line);
    if (side != home) {  // passed on: never a hit here
      level.atomic_sectors += count(sectors);
      level.far_sectors += count(sectors);
    }
    drop_copies(home, place.line, sectors);
    SectorCache::State& state = *entry_of(home, place.line).state;
    level.atomic_sectors += count(sectors);
    level.atomic_hits += count(sectors & state.valid);
    fetch(place.buffer, state, sectors);
    state.dirty |= static_cast<uint8_t>(sectors);
  }
  void count_what_is_left() {
    for (const SectorCache& cache : caches_)
      cache.for_each_line([&](uint32_t line, SectorCache::State state) {
        if (state.dirty != 0) uses_[placement_.buffer_of(line)].bytes_left_in_l2 += count(state.dirty) * kSectorBytes;
      });
  }

 private:
  /// The partition of a line. The hardware's hash is unknown; this one distributes any few lines evenly, whatever their
  /// stride.
  uint32_t home_of(uint32_t line) const {
    uint64_t hash = line * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 32;
    return partitions_ == 1 ? 0 : static_cast<uint32_t>(hash * 0xbf58476d1ce4e5b9U >> 40) % partitions_;
  }
  SectorCache::Entry entry_of(uint32_t partition, uint32_t line) {
    SectorCache& cache = caches_[partition];
    if (const SectorCache::Entry entry = cache.find(line); entry.state != nullptr) return entry;
    SectorCache::Evicted evicted;
    const SectorCache::Entry entry = cache.insert(line, evicted);
    if (evicted.state.dirty != 0) {
      HierarchyUse& use = uses_[placement_.buffer_of(evicted.line)];
      use.device_bytes_written += count(evicted.state.dirty) * kSectorBytes;
      use.device_bytes_read += count(evicted.state.partial) * kSectorBytes;
    }
    return entry;
  }
  /// The copies of these sectors in the other partitions are invalid.
  void drop_copies(uint32_t home, uint32_t line, unsigned sectors) {
    for (uint32_t other = 0; other < partitions_; ++other)
      if (other != home)
        if (SectorCache::State* copy = caches_[other].peek(line); copy != nullptr)
          copy->valid &= static_cast<uint8_t>(~sectors);
  }
  void fetch(uint32_t buffer, SectorCache::State& state, unsigned sectors) {
    uses_[buffer].device_bytes_read += count(sectors & ~unsigned{state.valid}) * kSectorBytes;
    state.valid |= static_cast<uint8_t>(sectors);
    state.partial &= static_cast<uint8_t>(~sectors);
  }
  /// Tracks which bytes of a partial sector are written, until all are.
  void write_in_part(uint32_t home, const SectorCache::Entry& entry, const LinePart& part, unsigned sectors) {
    if (written_[home].empty()) written_[home].resize(caches_[home].places());
    std::array<uint32_t, 4>& written = written_[home][entry.place];
    for (unsigned left = sectors; left != 0; left &= left - 1) {
      const auto sector = static_cast<size_t>(std::countr_zero(left));
      const auto bit = static_cast<uint8_t>(1U << sector);
      written[sector] = ((entry.state->partial & bit) != 0 ? written[sector] : 0) | part.bytes[sector];
      if (written[sector] == 0xffffffff) {
        entry.state->valid |= bit;
        entry.state->partial &= static_cast<uint8_t>(~bit);
      } else {
        entry.state->partial |= bit;
      }
    }
  }

  const uint32_t partitions_;
  std::vector<SectorCache> caches_;  // by partition
  /// By partition and index in its cache: the bytes of partial sectors.
  std::vector<std::vector<std::array<uint32_t, 4>>> written_;
  const Placement& placement_;
  std::vector<HierarchyUse>& uses_;
};

/// The accesses of one block, in the order in which its concurrent warps make them.
struct ResidentBlock {
  uint32_t multiprocessor = 0;
  std::vector<uint32_t> accesses;   // indices into AccessTrace::accesses, by their warps' sequence
  std::vector<uint32_t> turns_end;  // end of each turn, in accesses
  size_t turn = 0;
  bool done() const { return turn == turns_end.size(); }
};

class Replay {
 public:
  Replay(const GpuSpec& gpu, const AccessTrace& trace, std::span<const BufferSpec> buffers)
      : gpu_(gpu),
        trace_(trace),
        placement_(buffers),
        uses_(buffers.size() + 1),
        lines_(trace),
        l2_(gpu, placement_, uses_) {
    for (const Site& site : trace.sites) routes_.push_back(route_of(site));
  }

  /// The accesses of one launch are contiguous, block by block. False: stopped.
  bool run(size_t first, size_t last, const Occupancy& occupancy, const std::stop_token& stop) {
    next_ = first;
    last_ = last;
    l1_.clear();
    const uint32_t of_each = std::max(1U, occupancy.blocks_per_multiprocessor);
    std::vector<ResidentBlock> resident;
    for (uint32_t round = 0; round < of_each; ++round)
      for (uint32_t multiprocessor = 0; multiprocessor < gpu_.multiprocessors && next_ < last_; ++multiprocessor) {
        ResidentBlock block;
        block.multiprocessor = multiprocessor;
        while (block.done() && next_ < last_) begin(block);
        if (round == 0) l1_.emplace_back(std::max<uint64_t>(occupancy.l1_bytes, kLineBytes * SectorCache::kWays));
        if (!block.done()) resident.push_back(std::move(block));
      }
    while (!resident.empty()) {
      if (stop.stop_requested()) return false;
      for (ResidentBlock& block : resident) take_turn(block);
      std::erase_if(resident, [&](const ResidentBlock& block) { return block.done(); });
    }
    return true;
  }

  HierarchyTraffic finish() {
    l2_.count_what_is_left();
    HierarchyTraffic traffic;
    traffic.modelled = true;
    for (const HierarchyUse& use : uses_) add(traffic.total, use);
    traffic.other = uses_.back();
    uses_.pop_back();
    traffic.buffers = std::move(uses_);
    return traffic;
  }

 private:
  static void add(LevelTraffic& total, const LevelTraffic& level) {
    total.read_sectors += level.read_sectors;
    total.read_hits += level.read_hits;
    total.write_sectors += level.write_sectors;
    total.write_hits += level.write_hits;
    total.atomic_sectors += level.atomic_sectors;
    total.atomic_hits += level.atomic_hits;
    total.far_sectors += level.far_sectors;
  }
  static void add(HierarchyUse& total, const HierarchyUse& use) {
    add(total.l1, use.l1);
    add(total.l2, use.l2);
    total.device_bytes_read += use.device_bytes_read;
    total.device_bytes_written += use.device_bytes_written;
    total.bytes_left_in_l2 += use.bytes_left_in_l2;
  }

  /// Takes the next block that accesses global memory, and sorts its accesses by turn.
  void begin(ResidentBlock& block) {
    block.turns_end.clear();
    block.turn = 0;
    const size_t first = next_;
    const uint32_t index = trace_.accesses[first].block;
    of_turn_.clear();
    for (; next_ < last_ && trace_.accesses[next_].block == index; ++next_) {
      const Access& access = trace_.accesses[next_];
      if (routes_[access.site] == Route::none) continue;
      if (of_turn_.size() <= access.sequence) of_turn_.resize(access.sequence + size_t{1});
      ++of_turn_[access.sequence];
    }
    uint32_t end = 0;
    for (uint32_t& count_or_begin : of_turn_) {
      if (count_or_begin == 0) continue;
      const uint32_t begin_turn = end;
      end += count_or_begin;
      count_or_begin = begin_turn;
      block.turns_end.push_back(end);
    }
    block.accesses.resize(end);
    for (size_t i = first; i < next_; ++i) {
      const Access& access = trace_.accesses[i];
      if (routes_[access.site] != Route::none) block.accesses[of_turn_[access.sequence]++] = static_cast<uint32_t>(i);
    }
  }

  void take_turn(ResidentBlock& block) {
    const size_t begin_access = block.turn == 0 ? 0 : block.turns_end[block.turn - 1];
    const size_t end_access = block.turns_end[block.turn++];
    for (size_t i = begin_access; i < end_access; ++i) access(block.accesses[i], block.multiprocessor);
    while (block.done() && next_ < last_) begin(block);
  }

  void access(uint32_t index, uint32_t multiprocessor) {
    SectorCache& l1 = l1_[multiprocessor];
    const uint32_t side = multiprocessor % std::max(1U, gpu_.l2_partitions);
    const Access& access = trace_.accesses[index];
    const Site& site = trace_.sites[access.site];
    const uint64_t base = access.base / kLineBytes * kLineBytes;
    for (const LinePart& part : lines_.of(access, site.bytes_per_lane)) {
      const Placement::Place place = placement_.of(base + static_cast<uint64_t>(part.line) * kLineBytes);
      switch (routes_[access.site]) {
        case Route::load:
          load(l1, side, place, part.sectors);
          break;
        case Route::load_past_l1:
          l2_.read(side, place, part.sectors);
          break;
        case Route::store:
          store(l1, side, place, part);
          break;
        case Route::atomic:
          l2_.update(side, place, part.sectors);
          break;
        case Route::none:
          break;
      }
    }
  }

  void load(SectorCache& l1, uint32_t side, Placement::Place place, unsigned sectors) {
    LevelTraffic& level = uses_[place.buffer].l1;
    SectorCache::State* state = l1.find(place.line).state;
    level.read_sectors += count(sectors);
    if (state != nullptr) {
      level.read_hits += count(sectors & state->valid);
      const unsigned missing = sectors & ~unsigned{state->valid};
      if (missing == 0) return;
      l2_.read(side, place, missing);
    } else {
      SectorCache::Evicted evicted;
      state = l1.insert(place.line, evicted).state;
      l2_.read(side, place, sectors);
    }
    state->valid |= static_cast<uint8_t>(sectors);
  }

  void store(SectorCache& l1, uint32_t side, Placement::Place place, const LinePart& part) {
    LevelTraffic& level = uses_[place.buffer].l1;
    level.write_sectors += count(part.sectors);
    if (const SectorCache::State* state = l1.find(place.line).state)
      level.write_hits += count(unsigned{part.sectors} & state->valid);
    l2_.write(side, place, part);
  }

  const GpuSpec& gpu_;
  const AccessTrace& trace_;
  const Placement placement_;
  std::vector<HierarchyUse> uses_;  // by buffer, then the rest
  AccessLines lines_;
  SharedLevel l2_;
  std::vector<Route> routes_;  // by site
  std::deque<SectorCache> l1_;
  std::vector<uint32_t> of_turn_;  // for the block that begins: number of accesses per turn, then their positions
  size_t next_ = 0, last_ = 0;
};

}  // namespace

HierarchyTraffic replay_hierarchy(const GpuSpec& gpu, const AccessTrace& trace, std::span<const Launch> launches,
                                  std::span<const Occupancy> occupancy, std::span<const BufferSpec> buffers,
                                  const std::stop_token& stop) {
  HierarchyTraffic refused;
  if (!trace.complete) {
    uint64_t blocks = 0;
    for (const Launch& launch : launches) blocks += launch.grid.count();
    refused.reason = phrase("the accesses of {} of {} blocks fit the record", trace.blocks_recorded, blocks);
    return refused;
  }
  Replay replay(gpu, trace, buffers);
  size_t first = 0;
  for (uint32_t launch = 0; launch < launches.size(); ++launch) {
    size_t last = first;
    while (last < trace.accesses.size() && trace.sites[trace.accesses[last].site].launch == launch) ++last;
    if (!replay.run(first, last, occupancy[launch], stop)) {
      refused.reason = Phrase("cancelled");
      return refused;
    }
    first = last;
  }
  return replay.finish();
}

}  // namespace tilescope
