// Races between the lanes of one warp.
//
// For each granule that the warp has touched since its last warp-wide instruction: the lane that wrote it last, and the
// lane that has read it. The tables are filled when a warp returns to a granule for the first time, and cleared at the
// next warp-wide instruction or barrier.
#include <bit>

#include "engine/sim/checks/races_shared.hpp"

namespace tilescope {
namespace {

// An entry is lane + 1, or 0; for readers kMany if there were several. Strong accesses are marked: they do not race
// with atomics, nor atomics with them.
constexpr uint8_t kLane = 63, kMany = 63, kStrong = 64, kAtomic = 128;
/// Unsuccessful searches after which a block's lanes are no longer checked.
constexpr uint32_t kMostSearches = 64;

}  // namespace

void SharedRaces::learn_lanes(WarpState& state) const {
  state.writer.resize(words_ * 64);
  state.reader.resize(words_ * 64);
  state.lanes_known = true;
  const auto& log = state.open->log;
  for (size_t i = state.segment; i < log.size(); ++i) note_lanes(state, log[i]);
}

void SharedRaces::note_lanes(WarpState& state, const Logged& access) const {
  const SiteInfo& site = sites_[access.site];
  for (uint32_t left = lanes_of(access); left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint32_t first = granule_of(access, lane);
    const auto own = static_cast<uint8_t>(lane + 1);
    state.noted[first / 512 / 64] |= uint64_t{1} << (first / 512 % 64);
    for (uint32_t g = first; g < first + (site.bytes >> granule_bits_); ++g) {
      if (site.writes) {
        state.writer[g] = static_cast<uint8_t>(own | (site.is_strong ? kStrong : 0) | (site.is_atomic ? kAtomic : 0));
      } else {
        uint8_t& reader = state.reader[g];
        const auto lanes = static_cast<uint8_t>(reader & kLane);
        const bool only_strong = site.is_strong && (reader == 0 || (reader & kStrong) != 0);
        reader = static_cast<uint8_t>((lanes == 0 || lanes == own ? own : kMany) | (only_strong ? kStrong : 0));
      }
    }
  }
}

void SharedRaces::check_lanes(WarpState& state, const Logged& access) {
  const SiteInfo& site = sites_[access.site];
  bool found = false;
  for (uint32_t left = lanes_of(access); left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint32_t first = granule_of(access, lane);
    const bool changes = (access.changed >> lane & 1) != 0 || !site.is_store;
    for (uint32_t g = first; g < first + (site.bytes >> granule_bits_); ++g) {
      const uint8_t writer = state.writer[g], reader = state.reader[g];
      const bool meant_write =
          (site.is_strong && (writer & kAtomic) != 0) || (site.is_atomic && (writer & kStrong) != 0);
      const bool meant_read = site.is_atomic && (reader & kStrong) != 0;
      const bool has_other_writer = writer != 0 && (writer & kLane) != lane + 1 && !meant_write;
      const bool other_wrote = has_other_writer && (!site.writes || changes);
      const bool other_read = site.writes && reader != 0 && (reader & kLane) != lane + 1 && !meant_read;
      if (has_other_writer || other_read) state.may_repeat = false;
      if (!other_wrote && !other_read) continue;
      if (!found && ++without_news_ > kMostSearches) return;
      found = true;
      report_lane(state, access, lane, g, other_wrote);
    }
  }
}

/// Finds the last access by a different lane to the granule.
void SharedRaces::report_lane(const WarpState& state, const Logged& access, uint32_t lane, uint32_t granule,
                              bool other_wrote) {
  const auto find = [&](const std::vector<Logged>& log) {
    for (size_t i = log.size(); i-- > 0;) {
      const SiteInfo& site = sites_[log[i].site];
      if (site.writes != other_wrote) continue;
      for (uint32_t left = lanes_of(log[i]) & ~(1U << lane); left != 0; left &= left - 1) {
        const auto other = static_cast<uint32_t>(std::countr_zero(left));
        const uint32_t first = granule_of(log[i], other);
        if (granule < first || granule >= first + (site.bytes >> granule_bits_)) continue;
        SharedRace race;
        const SiteInfo& own = sites_[access.site];
        const bool is_volatile = (own.is_strong && !own.is_atomic) || (site.is_strong && !site.is_atomic);
        race.kind = is_volatile ? RaceKind::volatile_lanes : RaceKind::within_warp;
        race.first = {log[i].site, state.open->warp, other};
        race.second = {access.site, state.open->warp, lane};
        race.offset = granule << granule_bits_;
        const Logged& write = own.writes ? access : log[i];
        const uint32_t writing_lane = own.writes ? lane : other;
        race.same_value = sites_[write.site].is_store && (write.changed >> writing_lane & 1) == 0;
        add(race);
        return true;
      }
    }
    return false;
  };
  if (find(state.open->log)) return;
  for (size_t i = closed_.size(); i-- > 0;)
    if (closed_[i]->warp == state.open->warp && find(closed_[i]->log)) return;
}

}  // namespace tilescope
