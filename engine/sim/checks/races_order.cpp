// Finds accesses of different warps without an order: barriers, fences and flags are vector clocks over the warps of a
// block.
#include <algorithm>
#include <bit>

#include "engine/sim/checks/races_shared.hpp"

namespace tilescope {
namespace {

constexpr size_t kWordsOfLine = 8;

/// Calls visit(first word) for each line that is marked.
template <class Visit>
void for_each_line(const std::vector<uint64_t>& lines, const Visit& visit) {
  for (size_t i = 0; i < lines.size(); ++i)
    for (uint64_t left = lines[i]; left != 0; left &= left - 1)
      visit((i * 64 + static_cast<size_t>(std::countr_zero(left))) * kWordsOfLine);
}

}  // namespace

void SharedRaces::clear(Interval& interval) const {
  for_each_line(interval.dirty, [&](size_t word) {
    for (size_t map = 0; map < maps_; ++map)
      std::fill_n(interval.bits.data() + map * words_ + word, kWordsOfLine, uint64_t{0});
  });
  std::fill(interval.dirty.begin(), interval.dirty.end(), 0);
  interval.log.clear();
  interval.log_limit = kFirstLimit;
}

/// No open interval is before a different one: one pass finds every granule that two of them touched and one has
/// written. False: there is none.
bool SharedRaces::check_all() {
  uint64_t any = 0;
  std::vector<uint64_t> dirty(warps_.front().open->dirty.size());
  for (const WarpState& state : warps_) {
    const Interval& own = *state.open;
    if (own.empty()) continue;
    for (size_t i = 0; i < dirty.size(); ++i) dirty[i] |= own.dirty[i];
    for_each_line(own.dirty, [&](size_t line) {
      const uint64_t* of_own = own.bits.data() + line;
      uint64_t* of_seen = seen_.data() + line;
      for (size_t i = 0; i < kWordsOfLine; ++i) {
        const uint64_t reads = of_own[i], writes = of_own[words_ + i];
        const uint64_t seen_reads = of_seen[i], seen_writes = of_seen[words_ + i];
        uint64_t found = (writes & (seen_reads | seen_writes)) | (reads & seen_writes);
        of_seen[i] = seen_reads | reads;
        of_seen[words_ + i] = seen_writes | writes;
        if (has_strong_) {
          uint64_t &seen_strong = of_seen[2 * words_ + i], &seen_strong_writes = of_seen[3 * words_ + i];
          const uint64_t strongs = of_own[2 * words_ + i], strong_writes = of_own[3 * words_ + i];
          found |= (writes & seen_strong) | (reads & seen_strong_writes) | (strongs & seen_writes) |
                   (strong_writes & seen_reads);
          seen_strong |= strongs;
          seen_strong_writes |= strong_writes;
        }
        if (found != 0) conflicts_[line + i] |= found;
        any |= found;
      }
    });
  }
  if (any != 0) {
    std::vector<const Interval*> all;
    for (const WarpState& state : warps_)
      if (!state.open->empty()) all.push_back(state.open.get());
    trace(all);
  }
  for_each_line(dirty, [&](size_t line) {
    for (size_t map = 0; map < maps_; ++map) std::fill_n(seen_.data() + map * words_ + line, kWordsOfLine, uint64_t{0});
    std::fill_n(conflicts_.data() + line, kWordsOfLine, uint64_t{0});
  });
  return any != 0;
}

bool SharedRaces::ordered(const Interval& a, const Interval& b) {
  return a.warp == b.warp || b.before[a.warp] >= a.index || a.before[b.warp] >= b.index;
}

void SharedRaces::compare(const Interval& a, const Interval& b) {
  std::vector<uint64_t> both(a.dirty.size());
  for (size_t i = 0; i < both.size(); ++i) both[i] = a.dirty[i] & b.dirty[i];
  uint64_t any = 0;
  for_each_line(both, [&](size_t line) {
    for (size_t word = line; word < line + kWordsOfLine; ++word) {
      const auto of = [&](const Interval& interval, uint32_t map) {
        return map < maps_ ? interval.bits[map * words_ + word] : 0;
      };
      const auto one_way = [&](const Interval& x, const Interval& y) {
        return (of(x, plain_write) & (of(y, plain_read) | of(y, plain_write) | of(y, strong))) |
               (of(x, strong_write) & of(y, plain_read));
      };
      conflicts_[word] = one_way(a, b) | one_way(b, a);
      any |= conflicts_[word];
    }
  });
  if (any != 0) trace({&a, &b});
  for_each_line(both, [&](size_t line) { std::fill_n(conflicts_.data() + line, kWordsOfLine, uint64_t{0}); });
}

/// Ends the warp's open interval, if it contains any access.
void SharedRaces::close(uint32_t warp) {
  leave_round(warp);
  WarpState& state = warps_[warp];
  if (state.open->empty()) return;
  if (!state.lanes_known && state.open->log.size() > state.segment) learn_lanes(state);
  for (const auto& other : closed_)
    if (!ordered(*state.open, *other)) compare(*state.open, *other);
  if (closed_.size() >= kMostIntervals) {
    clear(*closed_.front());
    spare_.push_back(std::move(closed_.front()));
    closed_.erase(closed_.begin());
  }
  closed_.push_back(std::move(state.open));
  if (spare_.empty()) {
    spare_.push_back(std::make_unique<Interval>());
    prepare(*spare_.back());
  }
  state.open = std::move(spare_.back());
  spare_.pop_back();
  state.open->warp = warp;
  state.open->index = ++state.clock[warp];
  state.open->before = state.clock;
  state.segment = 0;
  mark_copies(warp);
}

/// What is before everything after a release by the warp now: all that its clock knows, and its own closed intervals.
SharedRaces::Clock SharedRaces::released(uint32_t warp) const {
  Clock clock = warps_[warp].clock;
  --clock[warp];
  return clock;
}

void SharedRaces::join(uint32_t warp, const Clock& other) {
  WarpState& state = warps_[warp];
  bool is_news = false;
  for (uint32_t i = 0; i < warps_.size(); ++i) is_news = is_news || (i != warp && other[i] > state.clock[i]);
  if (!is_news) return;
  close(warp);
  for (uint32_t i = 0; i < warps_.size(); ++i)
    if (i != warp) state.clock[i] = std::max(state.clock[i], other[i]);
  state.open->before = state.clock;
  retire();
}

/// Drops the intervals that are before all warps.
void SharedRaces::retire() {
  size_t kept = 0;
  for (auto& interval : closed_) {
    const uint32_t warp = interval->warp;
    const bool is_past = std::all_of(warps_.begin(), warps_.end(), [&](const WarpState& state) {
      return state.open->warp == warp || state.clock[warp] >= interval->index;
    });
    if (!is_past) {
      if (&closed_[kept] != &interval) closed_[kept] = std::move(interval);
      ++kept;
      continue;
    }
    clear(*interval);
    spare_.push_back(std::move(interval));
  }
  closed_.resize(kept);
}

void SharedRaces::forget_all() {
  for (auto& interval : closed_) {
    clear(*interval);
    spare_.push_back(std::move(interval));
  }
  closed_.clear();
  for (uint32_t warp = 0; warp < warps_.size(); ++warp) {
    WarpState& state = warps_[warp];
    restart_segment(state);
    clear(*state.open);
    state.segment = 0;
    state.clock = {};
    state.clock[warp] = 1;
    state.published = {};
    state.fenced = false;
    state.open->index = 1;
    state.open->before = state.clock;
  }
  published_.clear();
  barriers_ = {};
  begin_round();
}

bool SharedRaces::finish() {
  if (end_repeated_round()) return true;
  for (uint32_t warp = 0; warp < warps_.size(); ++warp) leave_round(warp);
  if (closed_.empty()) {
    if (!check_all()) keep_round();
  } else {
    for (uint32_t warp = 0; warp < warps_.size(); ++warp) close(warp);
  }
  return false;
}

void SharedRaces::meet_all() {
  if (finish()) {
    begin_round();
    return;
  }
  forget_all();
  for (uint32_t warp = 0; warp < warps_.size(); ++warp) mark_copies(warp);
}

void SharedRaces::arrive(uint32_t warp, uint32_t barrier) {
  close(warp);
  const Clock own = released(warp);
  for (size_t i = 0; i < own.size(); ++i) barriers_[barrier][i] = std::max(barriers_[barrier][i], own[i]);
}

void SharedRaces::open(uint32_t barrier, uint32_t warps) {
  for (uint32_t left = warps; left != 0; left &= left - 1) {
    const auto warp = static_cast<uint32_t>(std::countr_zero(left));
    arrive(warp, barrier);
    restart_segment(warps_[warp]);
  }
  const Clock met = std::exchange(barriers_[barrier], Clock{});
  for (uint32_t left = warps; left != 0; left &= left - 1) join(static_cast<uint32_t>(std::countr_zero(left)), met);
}

void SharedRaces::fence(uint32_t warp) {
  if (!has_strong_) return;
  close(warp);
  warps_[warp].published = released(warp);
  warps_[warp].fenced = true;
}

void SharedRaces::release(uint32_t warp, uint32_t offset) {
  close(warp);
  publish(offset >> granule_bits_, released(warp));
}

void SharedRaces::acquire(uint32_t warp, uint32_t offset) {
  const auto found = published_.find(offset >> granule_bits_);
  if (found != published_.end()) join(warp, Clock(found->second));
}

void SharedRaces::publish(uint32_t granule, const Clock& clock) {
  Clock& place = published_[granule];
  for (size_t i = 0; i < place.size(); ++i) place[i] = std::max(place[i], clock[i]);
}

/// A strong access takes over what has been published at the address it reads, and publishes at the address it writes.
void SharedRaces::synchronise(uint32_t warp, const Logged& access) {
  const SiteInfo& site = sites_[access.site];
  if (site.releases) fence(warp);
  const bool publishes = site.writes && warps_[warp].fenced;
  if (!publishes && (!site.acquires || published_.empty())) return;
  for (uint32_t left = lanes_of(access); left != 0; left &= left - 1) {
    const uint32_t granule = granule_of(access, static_cast<uint32_t>(std::countr_zero(left)));
    if (site.acquires) {
      const auto found = published_.find(granule);
      if (found != published_.end()) join(warp, Clock(found->second));
    }
    if (publishes) publish(granule, warps_[warp].published);
  }
}

void SharedRaces::begin_copy(uint32_t warp, uint32_t site, AccessPattern& pattern, uint32_t offset) {
  leave_round(warp);
  warps_[warp].may_repeat = false;
  access(warp, warps_[warp].synchronisations, site, pattern, offset, 0xffffffff);
  Logged copy = warps_[warp].open->log.back();
  warps_[warp].copies.push_back(copy);
}

void SharedRaces::end_copies(uint32_t warp, uint32_t still_going) {
  WarpState& state = warps_[warp];
  if (state.copies.size() <= still_going) return;
  leave_round(warp);
  state.may_repeat = false;
  const auto ended = static_cast<ptrdiff_t>(state.copies.size() - still_going);
  for (auto copy = state.copies.begin(); copy != state.copies.begin() + ended; ++copy) {
    mark(*state.open, *copy);
    state.open->log.push_back(*copy);
    state.segment_writes = true;
    if (state.lanes_known) note_lanes(state, *copy);
  }
  state.copies.erase(state.copies.begin(), state.copies.begin() + ended);
}

/// Copies in flight also write in the new interval.
void SharedRaces::mark_copies(uint32_t warp) {
  WarpState& state = warps_[warp];
  if (state.copies.empty()) return;
  leave_round(warp);
  state.may_repeat = false;
  for (const Logged& copy : state.copies) {
    mark(*state.open, copy);
    state.open->log.push_back(copy);
  }
}

}  // namespace tilescope
