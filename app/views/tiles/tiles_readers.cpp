#include "app/views/tiles/tiles_readers.hpp"

#include <algorithm>

namespace tilescope {
namespace {

bool reads(const Site& site) {
  return site.space == Space::global && site.kind != AccessKind::store && site.kind != AccessKind::reduction;
}

std::span<const Access> accesses_of(const RunResult& result, uint32_t block, uint32_t& first) {
  const auto& bounds = result.tiles.accesses_first;
  if (size_t{block} + 1 >= bounds.size()) return {};
  const size_t last = std::min<size_t>(bounds[block + 1], result.trace.accesses.size());
  first = static_cast<uint32_t>(std::min<size_t>(bounds[block], last));
  return std::span(result.trace.accesses).subspan(first, last - first);
}

}  // namespace

int lane_touching(const RunResult& result, uint32_t access, size_t buffer, int64_t element) {
  const Access& one = result.trace.accesses[access];
  const auto bytes = static_cast<int64_t>(size_of(result.plan.buffers[buffer].type));
  const uint64_t address = address_of(buffer, element * bytes);
  const uint64_t wide = result.trace.sites[one.site].bytes_per_lane;
  for (int lane = 0; lane < 32; ++lane) {
    if ((one.mask >> lane & 1) == 0) continue;
    const uint64_t begin = result.trace.address(one, lane);
    // A misaligned access, or one narrower than an element, touches the element that contains its start.
    if (address + static_cast<uint64_t>(bytes) > begin && address < begin + wide) return lane;
  }
  return -1;
}

std::optional<ElementToucher> writer_of(const RunResult& result, size_t buffer, int64_t element) {
  if (buffer >= result.tiles.buffers.size() || element < 0) return {};
  const BufferMap& map = result.tiles.buffers[buffer];
  const auto at = static_cast<size_t>(element);
  if (at >= map.writer_access.size() || map.writer_access[at] >= result.trace.accesses.size()) return {};
  const Access& access = result.trace.accesses[map.writer_access[at]];
  return ElementToucher{map.writer_access[at], access.block, access.warp};
}

void BlockReaders::make(const RunResult& result, uint32_t block) {
  buffers_.clear();
  uint32_t first = 0;
  const auto accesses = accesses_of(result, block, first);
  if (accesses.empty() || accesses.size() > kMostAccesses) return;
  for (size_t buffer = 0; buffer < result.tiles.buffers.size(); ++buffer) {
    const BufferMap& map = result.tiles.buffers[buffer];
    if (size_t{block} + 1 >= map.reads_first.size()) continue;
    const auto ranges = map.reads_of(block);
    if (ranges.empty() || ranges.back().end - ranges.front().begin > kMostElements) continue;
    buffers_.push_back({buffer, ranges.front().begin, {}});
    buffers_.back().access.assign(static_cast<size_t>(ranges.back().end - ranges.front().begin), BufferMap::kNobody);
  }
  for (size_t i = 0; i < accesses.size(); ++i) {
    const Access& access = accesses[i];
    const Site& site = result.trace.sites[access.site];
    if (!reads(site)) continue;
    const auto buffer = region_of(access.base).buffer;
    const auto known = std::find_if(buffers_.begin(), buffers_.end(),
                                    [&](const OfBuffer& one) { return static_cast<int64_t>(one.buffer) == buffer; });
    if (known == buffers_.end()) continue;
    const auto bytes = static_cast<int64_t>(size_of(result.plan.buffers[known->buffer].type));
    const auto room = static_cast<int64_t>(known->access.size());
    for (int lane = 0; lane < 32; ++lane) {
      if ((access.mask >> lane & 1) == 0) continue;
      const int64_t offset = region_of(result.trace.address(access, lane)).offset;
      const int64_t begin = floor_divide(offset, bytes) - known->first;
      const int64_t end = floor_divide(offset + site.bytes_per_lane + bytes - 1, bytes) - known->first;
      for (int64_t at = std::max<int64_t>(0, begin); at < std::min(room, end); ++at)
        if (uint32_t& reader = known->access[static_cast<size_t>(at)]; reader == BufferMap::kNobody)
          reader = first + static_cast<uint32_t>(i);
    }
  }
}

std::optional<ElementToucher> BlockReaders::reader_of(const std::shared_ptr<const RunResult>& result, uint32_t block,
                                                      size_t buffer, int64_t element) {
  if (!made_ || block_ != block || !result_.is(result)) {
    result_ = ResultReference(result);
    block_ = block;
    made_ = true;
    make(*result, block);
  }
  for (const OfBuffer& one : buffers_) {
    if (one.buffer != buffer) continue;
    const int64_t at = element - one.first;
    if (at < 0 || at >= static_cast<int64_t>(one.access.size())) return {};
    const uint32_t access = one.access[static_cast<size_t>(at)];
    if (access == BufferMap::kNobody) return {};
    return ElementToucher{access, block, result->trace.accesses[access].warp};
  }
  return {};
}

namespace {

void merge(std::vector<ElementRange>& ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (const ElementRange& range : ranges) {
    if (kept > 0 && range.begin <= ranges[kept - 1].end)
      ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
    else
      ranges[kept++] = range;
  }
  ranges.resize(kept);
}

}  // namespace

std::vector<ElementRange> elements_of(const WarpAccess& access) {
  std::vector<ElementRange> ranges;
  for (int lane = 0; lane < 32; ++lane)
    if (access.is_active(lane))
      ranges.push_back({access.element(lane), access.element(lane) + access.elements_per_lane()});
  merge(ranges);
  return ranges;
}

std::vector<ElementRange> warp_reads(TraceIndex& index, uint32_t block, uint32_t warp, size_t buffer) {
  std::vector<ElementRange> ranges;
  for (int lane = 0; lane < 32; ++lane) {
    const auto own = lane_reads(index, block, warp, lane, buffer);
    ranges.insert(ranges.end(), own.begin(), own.end());
  }
  merge(ranges);
  return ranges;
}

namespace {

/// The elements of a buffer that one lane of an access touches; nothing if it is masked off or touches a different
/// buffer.
std::optional<ElementRange> lane_range(const RunResult& result, uint32_t access, int lane, size_t buffer) {
  const Access& taken = result.trace.accesses[access];
  if ((taken.mask >> lane & 1) == 0) return {};
  const RegionOffset place = region_of(result.trace.address(taken, lane));
  if (place.buffer != static_cast<int64_t>(buffer)) return {};
  const auto bytes = static_cast<int64_t>(size_of(result.plan.buffers[buffer].type));
  const int64_t wide = result.trace.sites[taken.site].bytes_per_lane;
  return ElementRange{floor_divide(place.offset, bytes), floor_divide(place.offset + wide + bytes - 1, bytes)};
}

bool reads(const Statement& one) { return one.kind != AccessKind::store && one.kind != AccessKind::reduction; }

}  // namespace

std::vector<ElementRange> lane_reads(TraceIndex& index, uint32_t block, uint32_t warp, int lane, size_t buffer) {
  constexpr size_t kMostRanges = 512;
  std::vector<ElementRange> ranges;
  const BlockAccesses& accesses = index.block(block);
  for (size_t i = 0; i < index.statements().size(); ++i) {
    const Statement& one = index.statements()[i];
    if (one.space != Space::global || one.buffer != static_cast<int32_t>(buffer) || !reads(one)) continue;
    for (uint32_t access : accesses.of(i, warp)) {
      const auto range = lane_range(index.result(), access, lane, buffer);
      if (!range) continue;
      ranges.push_back(*range);
      if (ranges.size() >= kMostRanges) return ranges;
    }
  }
  return ranges;
}

std::vector<ElementRange> warp_writes(TraceIndex& index, uint32_t block, uint32_t warp, size_t buffer) {
  constexpr size_t kMostRanges = 32 * 512;
  std::vector<ElementRange> ranges;
  const BlockAccesses& accesses = index.block(block);
  for (size_t i = 0; i < index.statements().size(); ++i) {
    const Statement& one = index.statements()[i];
    if (one.space != Space::global || one.buffer != static_cast<int32_t>(buffer) || !one.writes()) continue;
    for (const uint32_t access : accesses.of(i, warp))
      for (int lane = 0; lane < 32 && ranges.size() < kMostRanges; ++lane)
        if (const auto range = lane_range(index.result(), access, lane, buffer)) ranges.push_back(*range);
  }
  merge(ranges);
  return ranges;
}

std::optional<ElementRange> lane_touch_near(TraceIndex& index, const WarpAccess& access, int lane, size_t buffer,
                                            bool writes) {
  std::optional<ElementRange> nearest;
  uint32_t least = 0;
  const BlockAccesses& accesses = index.block(access.block);
  for (size_t i = 0; i < index.statements().size(); ++i) {
    const Statement& one = index.statements()[i];
    if (one.space != Space::global || one.buffer != static_cast<int32_t>(buffer)) continue;
    if (writes ? !one.writes() : !reads(one)) continue;
    for (const uint32_t other : accesses.of(i, access.warp)) {
      const uint32_t apart = other > access.access ? other - access.access : access.access - other;
      if (nearest && apart >= least) continue;
      if (const auto range = lane_range(index.result(), other, lane, buffer)) {
        nearest = range;
        least = apart;
      }
    }
  }
  return nearest;
}

}  // namespace tilescope
