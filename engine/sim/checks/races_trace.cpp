// Traces granules that two warps touched without order back to instructions and lanes.
#include <algorithm>
#include <bit>

#include "engine/sim/checks/races_shared.hpp"

namespace tilescope {
namespace {

/// Number of searches of a block without a new pair of instructions after which searching stops.
constexpr uint32_t kMostSearches = 64;
/// Maximum number of accesses to one granule that are compared with each other.
constexpr ptrdiff_t kMostOfGranule = 256;

}  // namespace

void SharedRaces::find_hits(const std::vector<const Interval*>& intervals, std::vector<Hit>& hits) const {
  for (uint32_t i = 0; i < intervals.size(); ++i) {
    const auto& log = intervals[i]->log;
    for (uint32_t entry = 0; entry < log.size(); ++entry) {
      const Logged& access = log[entry];
      const uint32_t granules = sites_[access.site].bytes >> granule_bits_;
      for (uint32_t left = lanes_of(access); left != 0; left &= left - 1) {
        const auto lane = static_cast<uint32_t>(std::countr_zero(left));
        const uint32_t first = granule_of(access, lane);
        for (uint32_t g = first; g < first + granules; ++g)
          if ((conflicts_[g / 64] >> (g % 64) & 1) != 0) hits.push_back({g, i, entry, lane});
      }
    }
  }
}

void SharedRaces::trace(const std::vector<const Interval*>& intervals) {
  if (without_news_ >= kMostSearches) return;
  ++without_news_;
  std::vector<Hit> hits;
  find_hits(intervals, hits);
  std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.granule < b.granule; });
  for (const Hit* begin = hits.data(); begin != hits.data() + hits.size();) {
    const Hit* end = begin;
    while (end != hits.data() + hits.size() && end->granule == begin->granule) ++end;
    judge_granule(intervals, begin, end);
    begin = end;
  }
}

/// One finding per pair of instructions.
void SharedRaces::judge_granule(const std::vector<const Interval*>& intervals, const Hit* begin, const Hit* end) {
  end = std::min(end, begin + kMostOfGranule);
  std::vector<uint64_t> pairs;
  for (const Hit* x = begin; x != end; ++x) {
    for (const Hit* y = x + 1; y != end; ++y) {
      const Interval &of_x = *intervals[x->interval], &of_y = *intervals[y->interval];
      if (x->interval == y->interval || of_x.warp == of_y.warp) continue;
      const Logged &first = of_x.log[x->entry], &second = of_y.log[y->entry];
      SharedRace race;
      if (!is_race(first, x->lane, second, y->lane, race.same_value)) continue;
      const uint64_t pair = uint64_t{std::min(first.site, second.site)} << 32 | std::max(first.site, second.site);
      if (std::find(pairs.begin(), pairs.end(), pair) != pairs.end()) continue;
      pairs.push_back(pair);
      race.kind = RaceKind::between_warps;
      race.first = {first.site, of_x.warp, x->lane};
      race.second = {second.site, of_y.warp, y->lane};
      if (second.order < first.order) std::swap(race.first, race.second);
      race.offset = x->granule << granule_bits_;
      add(race);
    }
  }
}

bool SharedRaces::is_race(const Logged& x, uint32_t x_lane, const Logged& y, uint32_t y_lane, bool& same_value) const {
  const SiteInfo &of_x = sites_[x.site], &of_y = sites_[y.site];
  if (of_x.is_strong && of_y.is_strong) return false;
  if (!of_x.writes && !of_y.writes) return false;
  const bool x_changes = !of_x.is_store || (x.changed >> x_lane & 1) != 0;
  const bool y_changes = !of_y.is_store || (y.changed >> y_lane & 1) != 0;
  // Two stores of the same value: the later one finds the value that the earlier one left.
  if (of_x.is_store && of_y.is_store) return x.order < y.order ? y_changes : x_changes;
  same_value = !(of_x.writes && x_changes) && !(of_y.writes && y_changes);
  return true;
}

/// Merges the race with earlier ones of the same pair of instructions.
void SharedRaces::add(const SharedRace& race) {
  const auto low = std::min(race.first.site, race.second.site), high = std::max(race.first.site, race.second.site);
  const uint64_t pair = uint64_t{low} << 32 | high;
  if (known_.insert(pair ^ (race.same_value ? uint64_t{1} << 63 : 0)).second) without_news_ = 0;
  for (SharedRace& other : found_) {
    if (other.kind != race.kind || other.same_value != race.same_value) continue;
    if (std::min(other.first.site, other.second.site) != low || std::max(other.first.site, other.second.site) != high)
      continue;
    ++other.count;
    return;
  }
  found_.push_back(race);
}

void SharedRaces::note_one_store(uint32_t warp, uint32_t site, uint32_t first_lane, uint32_t second_lane,
                                 uint32_t offset) {
  SharedRace race;
  race.kind = RaceKind::one_store;
  race.first = {site, warp, first_lane};
  race.second = {site, warp, second_lane};
  race.offset = offset;
  add(race);
}

}  // namespace tilescope
