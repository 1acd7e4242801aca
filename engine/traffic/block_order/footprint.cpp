#include "engine/traffic/block_order/footprint.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <unordered_map>

#include "engine/traffic/access/coalesce.hpp"
#include "engine/traffic/block_order/digest.hpp"

namespace tilescope {
namespace {

bool touches_buffer(const AccessTrace& trace, const Access& access) {
  return trace.sites[access.site].space == Space::global && region_of(access.base).buffer >= 0;
}
bool writes(const Site& site) {
  return site.kind == AccessKind::store || site.kind == AccessKind::atomic || site.kind == AccessKind::reduction;
}
/// ld.global.cg, cp.async.cg and accesses that always go to the L2.
bool passes_l1(const Site& site) {
  return site.kind != AccessKind::load
             ? site.kind != AccessKind::async_copy || site.ptx.find(".cg") != std::string::npos
             : site.ptx.find(".cg") != std::string::npos;
}

void merge_runs(Shape& runs) {
  std::sort(runs.begin(), runs.end());
  size_t kept = 0;
  for (const ByteRun& run : runs) {
    if (kept != 0 && run.offset <= runs[kept - 1].offset + runs[kept - 1].bytes) {
      ByteRun& last = runs[kept - 1];
      last.bytes = std::max(last.bytes, run.offset + run.bytes - last.offset);
    } else {
      runs[kept++] = run;
    }
  }
  runs.resize(kept);
}

/// The byte runs of one access relative to its base: the same for all accesses of a pattern, mask and width.
class RunsOfPatterns {
 public:
  explicit RunsOfPatterns(const AccessTrace& trace) : trace_(trace) {}

  const Shape& find(const Access& access) {
    const uint32_t width = trace_.sites[access.site].bytes_per_lane;
    const uint64_t key = uint64_t{access.pattern} << 37 ^ uint64_t { access.mask } << 5 ^ width;
    const auto [found, is_new] = known_.try_emplace(key);
    Shape& runs = found->second;
    if (!is_new) return runs;
    for (uint32_t left = access.mask; left != 0; left &= left - 1)
      runs.push_back({trace_.patterns[access.pattern][static_cast<size_t>(std::countr_zero(left))], width});
    merge_runs(runs);
    return runs;
  }

 private:
  const AccessTrace& trace_;
  std::unordered_map<uint64_t, Shape> known_;
};

/// Collects accesses into regions by buffer and direction.
class RegionCollector {
 public:
  RegionCollector(const AccessTrace& trace, RunsOfPatterns& runs) : trace_(trace), runs_(runs) {}

  void add(const Access& access) {
    const RegionOffset place = region_of(access.base);
    const Site& site = trace_.sites[access.site];
    Part& part = parts_[{static_cast<uint32_t>(place.buffer), writes(site)}];
    const Shape& runs = runs_.find(access);
    for (const ByteRun& run : runs) part.runs.push_back({place.offset + run.offset, run.bytes});
    if (passes_l1(site))
      part.requested += sector_bytes(runs, place.offset);
    else
      part.cached = true;
  }

  std::vector<Region> take(ShapeTable& shapes) {
    std::vector<Region> regions;
    for (auto& [key, part] : parts_) {
      merge_runs(part.runs);
      Region region;
      region.buffer = key.first;
      region.write = key.second;
      region.offset = part.runs.front().offset;
      for (ByteRun& run : part.runs) run.offset -= region.offset;
      region.requested_bytes = part.requested + (part.cached ? sector_bytes(part.runs, region.offset) : 0);
      region.shape = shapes.intern(std::move(part.runs));
      regions.push_back(region);
    }
    parts_.clear();
    return regions;
  }

 private:
  struct Part {
    Shape runs;
    uint64_t requested = 0;
    bool cached = false;
  };
  const AccessTrace& trace_;
  RunsOfPatterns& runs_;
  std::map<std::pair<uint32_t, bool>, Part> parts_;
};

/// By warp: the load that it executes most often, the first of equals. Its executions count the steps.
std::vector<uint16_t> step_sites(const AccessTrace& trace, std::span<const Access> accesses) {
  constexpr uint16_t kNone = 0xffff;
  struct Count {
    uint32_t executions = 0, first = 0;
  };
  std::map<std::pair<uint16_t, uint16_t>, Count> counts;  // by warp and site
  uint16_t warps = 0;
  for (uint32_t i = 0; i < accesses.size(); ++i) {
    const Access& access = accesses[i];
    warps = std::max<uint16_t>(warps, static_cast<uint16_t>(access.warp + 1));
    if (!touches_buffer(trace, access) || writes(trace.sites[access.site])) continue;
    Count& count = counts[{access.warp, access.site}];
    if (count.executions++ == 0) count.first = i;
  }
  std::vector<uint16_t> sites(warps, kNone);
  std::vector<Count> best(warps);
  for (const auto& [key, count] : counts) {
    Count& most = best[key.first];
    const bool more = count.executions > most.executions;
    if (!more && (count.executions < most.executions || count.first >= most.first)) continue;
    most = count;
    sites[key.first] = key.second;
  }
  return sites;
}

/// The beginnings of many blocks. Most are shifts of one another: their regions are computed once.
class BeginningReader {
 public:
  BeginningReader(const AccessTrace& trace, ShapeTable& shapes) : trace_(trace), shapes_(shapes), runs_(trace) {}

  std::vector<Region> read(std::span<const Access> accesses) {
    take_first_executions(accesses);
    bases_.clear();
    Digest digest;
    for (const Access& access : first_) {
      const int64_t offset = region_of(access.base).offset;
      const int64_t base = base_of(key_of(access), offset);
      for (const uint64_t value : {uint64_t{access.site}, uint64_t{access.pattern}, uint64_t{access.mask},
                                   static_cast<uint64_t>(offset - base), static_cast<uint64_t>(base) % kSectorBytes})
        digest.add(value);
    }
    for (const auto& [key, base] : bases_) digest.add(uint64_t{key.first} << 1 | (key.second ? 1U : 0U));
    const auto [known, is_new] = known_.try_emplace(digest);
    if (is_new) {
      RegionCollector collector(trace_, runs_);
      for (const Access& access : first_) collector.add(access);
      known->second = collector.take(shapes_);
      for (Region& region : known->second) region.offset -= base_of({region.buffer, region.write}, 0);
    }
    std::vector<Region> regions = known->second;
    for (Region& region : regions) region.offset += base_of({region.buffer, region.write}, 0);
    return regions;
  }

 private:
  using Key = std::pair<uint32_t, bool>;  // buffer, whether it is written
  Key key_of(const Access& access) const {
    return {static_cast<uint32_t>(region_of(access.base).buffer), writes(trace_.sites[access.site])};
  }

  /// Offset of the first access with this key; `offset` if there was none.
  int64_t base_of(const Key& key, int64_t offset) {
    for (const auto& [other, base] : bases_)
      if (other == key) return base;
    bases_.emplace_back(key, offset);
    return offset;
  }

  void take_first_executions(std::span<const Access> accesses) {
    first_.clear();
    seen_.clear();
    for (const Access& access : accesses) {
      if (!touches_buffer(trace_, access)) continue;
      const size_t place = access.warp * trace_.sites.size() + access.site;
      if (place >= seen_.size()) seen_.resize(place + 1, false);
      if (seen_[place]) continue;
      seen_[place] = true;
      first_.push_back(access);
    }
  }

  const AccessTrace& trace_;
  ShapeTable& shapes_;
  RunsOfPatterns runs_;
  std::vector<Access> first_;                    // of each warp and site
  std::vector<bool> seen_;                       // by warp and site
  std::vector<std::pair<Key, int64_t>> bases_;   // of one block
  std::map<Digest, std::vector<Region>> known_;  // offsets from the bases
};

}  // namespace

uint32_t ShapeTable::intern(Shape shape) {
  const auto [found, is_new] = numbers_.try_emplace(std::move(shape), static_cast<uint32_t>(shapes_.size()));
  if (is_new) shapes_.push_back(&found->first);
  return found->second;
}

int64_t sector_of(int64_t offset) {
  constexpr auto kSector = static_cast<int64_t>(kSectorBytes);
  return offset >= 0 ? offset / kSector : -((-offset + kSector - 1) / kSector);
}

uint64_t sector_bytes(const Shape& shape, int64_t offset) {
  uint64_t sectors = 0;
  int64_t counted = INT64_MIN;  // the last counted sector
  for (const ByteRun& run : shape) {
    const int64_t first = std::max(sector_of(offset + run.offset), counted == INT64_MIN ? INT64_MIN : counted + 1);
    const int64_t last = sector_of(offset + run.offset + run.bytes - 1);
    if (last < first) continue;
    sectors += static_cast<uint64_t>(last - first + 1);
    counted = last;
  }
  return sectors * kSectorBytes;
}

std::span<const Access> accesses_of_block(const AccessTrace& trace, uint32_t block) {
  const auto [first, last] = std::equal_range(trace.accesses.begin(), trace.accesses.end(), Access{.block = block},
                                              [](const Access& a, const Access& b) { return a.block < b.block; });
  return {first, last};
}

BlockFootprint make_footprint(const AccessTrace& trace, std::span<const Access> accesses, ShapeTable& shapes) {
  RunsOfPatterns runs(trace);
  const std::vector<uint16_t> step_site = step_sites(trace, accesses);
  std::vector<uint32_t> executions(step_site.size(), 0);
  std::vector<RegionCollector> steps;
  for (const Access& access : accesses) {
    if (access.site == step_site[access.warp]) ++executions[access.warp];
    if (!touches_buffer(trace, access)) continue;
    const size_t step = std::max<size_t>(executions[access.warp], 1) - 1;
    while (steps.size() <= step) steps.emplace_back(trace, runs);
    steps[step].add(access);
  }
  BlockFootprint footprint;
  for (RegionCollector& step : steps) footprint.push_back({step.take(shapes)});
  return footprint;
}

std::vector<std::vector<Region>> make_beginnings(const AccessTrace& trace, std::span<const uint32_t> blocks,
                                                 ShapeTable& shapes) {
  BeginningReader reader(trace, shapes);
  std::vector<std::vector<Region>> beginnings;
  for (const uint32_t block : blocks) beginnings.push_back(reader.read(accesses_of_block(trace, block)));
  return beginnings;
}

}  // namespace tilescope
