#include "engine/traffic/access/tile_map.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace tilescope {
namespace {

void merge_ranges(std::vector<ElementRange>& ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const ElementRange& a, const ElementRange& b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (const auto& range : ranges) {
    if (kept != 0 && range.begin <= ranges[kept - 1].end)
      ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
    else
      ranges[kept++] = range;
  }
  ranges.resize(kept);
}

/// The bytes that the lanes of a mask touch, as merged ranges from the base: one range for contiguous lanes.
std::vector<ElementRange> touched_bytes(const LanePattern& pattern, uint32_t mask, uint32_t bytes_per_lane) {
  std::vector<ElementRange> ranges;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const int64_t begin = pattern[static_cast<size_t>(std::countr_zero(left))];
    ranges.push_back({begin, begin + bytes_per_lane});
  }
  merge_ranges(ranges);
  return ranges;
}

class TileMapBuilder {
 public:
  TileMapBuilder(const AccessTrace& trace, std::span<const BufferSpec> buffers, TileMap& map)
      : trace_(trace), map_(map), read_ranges_(buffers.size()), write_ranges_(buffers.size()) {
    for (const auto& spec : buffers) {
      BufferMap buffer;
      buffer.name = spec.name;
      buffer.type = spec.type;
      buffer.shape = spec.shape;
      buffer.role = spec.role;
      map_.buffers.push_back(std::move(buffer));
      counts_.push_back(spec.count());
    }
    touched_.resize(trace.patterns.size());
  }

  void add(uint32_t access_index) {
    const Access& access = trace_.accesses[access_index];
    const Site& site = trace_.sites[access.site];
    if (site.space != Space::global) return;
    const bool write =
        site.kind == AccessKind::store || site.kind == AccessKind::atomic || site.kind == AccessKind::reduction;
    const bool read = site.kind != AccessKind::store && site.kind != AccessKind::reduction;
    Touched& touched = touched_[access.pattern];
    if (touched.mask != access.mask || touched.bytes_per_lane != site.bytes_per_lane)
      touched = {access.mask, site.bytes_per_lane,
                 touched_bytes(trace_.patterns[access.pattern], access.mask, site.bytes_per_lane)};
    // A loop reads the same bytes repeatedly; they only need to be added to the map once.
    Repeated& repeated = repeated_[(access.base / site.bytes_per_lane + access.pattern * 31U) % repeated_.size()];
    const Repeated now{access.base, access.mask, access.pattern, access.site};
    if (write || !(repeated == now)) {
      for (const ElementRange& range : touched.ranges)
        add_bytes(access_index, access.base + static_cast<uint64_t>(range.begin), range.end - range.begin, read, write);
    }
    repeated = now;
    if (write) note_stored(access);
  }

  void end_block() {
    for (size_t b = 0; b < map_.buffers.size(); ++b) {
      close(read_ranges_[b], map_.buffers[b].reads, map_.buffers[b].reads_first);
      close(write_ranges_[b], map_.buffers[b].writes, map_.buffers[b].writes_first);
    }
    for (uint32_t lanes : stored_lanes_) stored_threads_ += static_cast<uint64_t>(std::popcount(lanes));
    stored_lanes_.clear();
    repeated_.fill({});
  }

  void begin() {
    for (auto& buffer : map_.buffers) {
      buffer.reads_first.push_back(0);
      buffer.writes_first.push_back(0);
    }
  }

  uint64_t stored_threads() const { return stored_threads_; }

 private:
  /// The ranges that an access with a pattern touches; a pattern nearly always has one mask and width.
  struct Touched {
    uint32_t mask = 0, bytes_per_lane = 0;
    std::vector<ElementRange> ranges;  // bytes from the base
  };
  struct Repeated {
    uint64_t base = 0;
    uint32_t mask = 0, pattern = 0;
    uint16_t site = 0;
    bool operator==(const Repeated&) const = default;
  };

  void add_bytes(uint32_t access_index, uint64_t address, int64_t bytes, bool read, bool write) {
    const RegionOffset place = region_of(address);
    if (place.buffer < 0 || static_cast<size_t>(place.buffer) >= map_.buffers.size()) return;
    const auto index = static_cast<size_t>(place.buffer);
    BufferMap& buffer = map_.buffers[index];
    const auto element = static_cast<int64_t>(size_of(buffer.type));
    const int64_t begin = std::clamp<int64_t>(place.offset / element, 0, counts_[index]);
    const int64_t end = std::clamp<int64_t>((place.offset + bytes + element - 1) / element, 0, counts_[index]);
    if (begin >= end) return;  // past the end: a finding, not a tile
    if (read) read_ranges_[index].push_back({begin, end});
    if (!write) return;
    write_ranges_[index].push_back({begin, end});
    if (buffer.writer.empty()) {
      buffer.writer.assign(static_cast<size_t>(counts_[index]), BufferMap::kNobody);
      buffer.writer_access.assign(static_cast<size_t>(counts_[index]), BufferMap::kNobody);
    }
    std::fill(buffer.writer.begin() + begin, buffer.writer.begin() + end, trace_.accesses[access_index].block);
    std::fill(buffer.writer_access.begin() + begin, buffer.writer_access.begin() + end, access_index);
  }

  void note_stored(const Access& access) {
    if (stored_lanes_.size() <= access.warp) stored_lanes_.resize(access.warp + size_t{1});
    stored_lanes_[access.warp] |= access.mask;
  }

  static void close(std::vector<ElementRange>& open, std::vector<ElementRange>& all, std::vector<uint32_t>& first) {
    merge_ranges(open);
    all.insert(all.end(), open.begin(), open.end());
    first.push_back(static_cast<uint32_t>(all.size()));
    open.clear();
  }

  const AccessTrace& trace_;
  TileMap& map_;
  std::vector<int64_t> counts_;                                        // elements, by buffer
  std::vector<std::vector<ElementRange>> read_ranges_, write_ranges_;  // of the current block
  std::vector<Touched> touched_;                                       // by pattern
  std::array<Repeated, 1024> repeated_{};                              // reads of the current block
  std::vector<uint32_t> stored_lanes_;                                 // by warp of the current block
  uint64_t stored_threads_ = 0;
};

/// Elements that a block writes, in all buffers.
int64_t elements_written(const TileMap& map, uint32_t block) {
  int64_t elements = 0;
  for (const BufferMap& buffer : map.buffers)
    for (const ElementRange& range : buffer.writes_of(block)) elements += range.end - range.begin;
  return elements;
}

uint32_t find_typical_block(const TileMap& map, uint32_t recorded) {
  if (recorded == 0) return 0;
  const uint32_t wanted = static_cast<uint32_t>(uint64_t{recorded} * 11 / 20);
  int64_t most = -1;
  uint32_t best = 0;
  const auto distance = [&](uint32_t block) { return block > wanted ? block - wanted : wanted - block; };
  for (uint32_t block = 0; block < recorded; ++block) {
    const int64_t written = elements_written(map, block);
    if (written < most || (written == most && distance(block) >= distance(best))) continue;
    most = written;
    best = block;
  }
  return best;
}

}  // namespace

TileMap make_tile_map(const AccessTrace& trace, const Launch& launch, uint32_t launch_index,
                      std::span<const BufferSpec> buffers) {
  TileMap map;
  map.grid = launch.grid;
  map.block = launch.block;
  map.launch = launch_index;
  TileMapBuilder builder(trace, buffers, map);
  builder.begin();

  const auto of_launch = [&](const Access& access) { return trace.sites[access.site].launch == launch_index; };
  auto next = static_cast<uint32_t>(std::find_if(trace.accesses.begin(), trace.accesses.end(), of_launch) -
                                    trace.accesses.begin());
  const auto blocks = static_cast<uint32_t>(launch.grid.count());
  map.accesses_first.reserve(size_t{blocks} + 1);
  map.accesses_first.push_back(next);
  uint32_t recorded = 0;
  for (uint32_t block = 0; block < blocks; ++block) {
    const uint32_t first = next;
    while (next < trace.accesses.size() && trace.accesses[next].block == block && of_launch(trace.accesses[next]))
      builder.add(next++);
    if (next != first) {
      ++map.blocks_observed;
      recorded = block + 1;
    }
    builder.end_block();
    map.accesses_first.push_back(next);
  }
  if (trace.complete) {
    map.blocks_observed = blocks;
    map.idle_threads = launch.grid.count() * launch.block.count() - builder.stored_threads();
  }
  map.typical_block = find_typical_block(map, trace.complete ? blocks : recorded);
  return map;
}

}  // namespace tilescope
