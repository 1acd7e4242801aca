// Traces granules that two warps touched without order back to instructions and lanes.
#include <algorithm>
#include <bit>

#include "engine/sim/checks/races_shared.hpp"

namespace tilescope {
namespace {

/// Number of searches of a block without a new pair of instructions after which searching stops.
constexpr uint32_t kTraceMostSearches = 64;
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
  if (without_news_ >= kTraceMostSearches) return;
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
  std::vector<uint32_t> sites;
  for (const Hit* hit = begin; hit != end; ++hit) {
    const uint32_t site = logged(intervals, *hit).site;
    if (std::find(sites.begin(), sites.end(), site) == sites.end()) sites.push_back(site);
  }
  std::vector<RacingHits> races;
  for (size_t i = 0; i < sites.size(); ++i)
    for (size_t j = i; j < sites.size(); ++j)
      if (const auto race = first_race(intervals, {begin, end}, sites[i], sites[j])) races.push_back(*race);
  std::ranges::sort(races);
  for (const auto& [x, y] : races) {
    const Logged &first = logged(intervals, *x), &second = logged(intervals, *y);
    SharedRace race;
    is_race(first, x->lane, second, y->lane, race.same_value);
    race.kind = RaceKind::between_warps;
    race.first = {first.site, intervals[x->interval]->warp, x->lane};
    race.second = {second.site, intervals[y->interval]->warp, y->lane};
    if (second.order < first.order) std::swap(race.first, race.second);
    race.offset = x->granule << granule_bits_;
    add(race);
  }
}

/// The first two hits of these instructions that race with one another. A granule may have hundreds of hits, but few
/// instructions, most pairs of which cannot race at all.
std::optional<SharedRaces::RacingHits> SharedRaces::first_race(const std::vector<const Interval*>& intervals,
                                                               std::span<const Hit> hits, uint32_t one_site,
                                                               uint32_t other_site) const {
  if (!can_race(one_site, other_site)) return std::nullopt;
  std::vector<const Hit*> of_both;
  bool several_warps = false;
  for (const Hit& hit : hits) {
    const uint32_t site = logged(intervals, hit).site;
    if (site != one_site && site != other_site) continue;
    of_both.push_back(&hit);
    several_warps |= intervals[hit.interval]->warp != intervals[of_both.front()->interval]->warp;
  }
  if (!several_warps) return std::nullopt;
  for (size_t i = 0; i < of_both.size(); ++i) {
    const Hit* x = of_both[i];
    const Logged& first = logged(intervals, *x);
    for (size_t j = i + 1; j < of_both.size(); ++j) {
      const Hit* y = of_both[j];
      const Logged& second = logged(intervals, *y);
      if (one_site != other_site && first.site == second.site) continue;
      bool same_value = false;
      if (intervals[x->interval]->warp != intervals[y->interval]->warp &&
          is_race(first, x->lane, second, y->lane, same_value))
        return RacingHits{x, y};
    }
  }
  return std::nullopt;
}

bool SharedRaces::can_race(uint32_t one_site, uint32_t other_site) const {
  const SiteInfo &one = sites_[one_site], &other = sites_[other_site];
  return !(one.is_strong && other.is_strong) && (one.writes || other.writes);
}

bool SharedRaces::is_race(const Logged& x, uint32_t x_lane, const Logged& y, uint32_t y_lane, bool& same_value) const {
  if (!can_race(x.site, y.site)) return false;
  const SiteInfo &of_x = sites_[x.site], &of_y = sites_[y.site];
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
