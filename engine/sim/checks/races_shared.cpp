// Records each access to shared memory.
#include "engine/sim/checks/races_shared.hpp"

#include <algorithm>
#include <bit>

namespace tilescope {
namespace {

constexpr size_t kSharedWordsOfLine = 8;
constexpr size_t kMostWords = 64;  // words of a pattern's mask

}  // namespace

SharedRaces::SharedRaces(const Program& program, uint32_t shared_bytes, uint32_t warps)
    : granule_bits_(static_cast<uint32_t>(std::countr_zero(program.shared_granule))), warps_count_(warps) {
  for (const MemorySite& site : program.sites) {
    SiteInfo info;
    info.reads = site.kind == AccessKind::load || site.kind == AccessKind::atomic || site.kind == AccessKind::reduction;
    info.writes = site.kind != AccessKind::load;
    info.is_strong = site.is_strong;
    info.is_atomic = site.kind == AccessKind::atomic || site.kind == AccessKind::reduction;
    info.is_store = site.kind == AccessKind::store;
    info.takes_stale = site.takes_stale;
    info.acquires = site.acquires;
    info.releases = site.releases;
    info.bytes = std::max(site.bytes_per_lane, program.shared_granule);
    has_strong_ = has_strong_ || (info.is_strong && site.space != Space::local);
    sites_.push_back(info);
  }
  searches_.resize(sites_.size());
  maps_ = has_strong_ ? 4 : 2;
  const size_t granules = (size_t{shared_bytes} + program.shared_granule - 1) / program.shared_granule;
  words_ = (granules + 511) / 512 * kSharedWordsOfLine;
  warps_.resize(warps);
  for (uint32_t warp = 0; warp < warps; ++warp) {
    WarpState& state = warps_[warp];
    state.open = std::make_unique<Interval>();
    state.open->warp = warp;
    prepare(*state.open);
    state.noted.resize(state.open->dirty.size());
  }
  conflicts_.resize(words_);
  seen_.resize(words_ * maps_);
  keeps_rounds_ = !has_strong_ && sites_.size() <= 0xffff;
}

void SharedRaces::prepare(Interval& interval) const {
  interval.bits.resize(words_ * maps_);
  interval.dirty.resize((words_ / kSharedWordsOfLine + 63) / 64);
}

void SharedRaces::begin() {
  forget_all();
  order_ = 0;
  known_.clear();
  without_news_ = 0;
  for (WarpState& state : warps_) {
    state.copies.clear();
    state.synchronisations = 0;
  }
}

uint32_t SharedRaces::lanes_of(const Logged& access) const {
  return access.pattern != nullptr ? access.pattern->mask : kept_[access.kept].mask;
}

/// The first granule of a lane.
uint32_t SharedRaces::granule_of(const Logged& access, uint32_t lane) const {
  const int64_t delta =
      access.pattern != nullptr ? access.pattern->delta[lane] : int64_t{kept_[access.kept].delta[lane]};
  return static_cast<uint32_t>((int64_t{access.offset} + delta) >> granule_bits_);
}

/// ORs the words into the maps of the access's kind; the result has the granules that this warp has already touched in
/// a way that may matter to a different lane.
uint64_t SharedRaces::mark_words(Interval& interval, const SiteInfo& site, size_t word, const uint64_t* granules,
                                 size_t count) const {
  for (size_t line = word / kSharedWordsOfLine; line <= (word + count - 1) / kSharedWordsOfLine; ++line)
    interval.dirty[line / 64] |= uint64_t{1} << (line % 64);
  uint64_t* const reads = interval.bits.data() + word;
  uint64_t* const writes = reads + words_ * plain_write;
  uint64_t meets = 0;
  if (!has_strong_) {
    if (site.writes) {
      for (size_t i = 0; i < count; ++i) {
        meets |= granules[i] & (reads[i] | writes[i]);
        writes[i] |= granules[i];
      }
    } else {
      for (size_t i = 0; i < count; ++i) {
        meets |= granules[i] & writes[i];
        reads[i] |= granules[i];
      }
    }
    return meets;
  }
  uint64_t* const strongs = reads + words_ * strong;
  uint64_t* const strong_writes = reads + words_ * strong_write;
  for (size_t i = 0; i < count; ++i) {
    meets |= granules[i] & (writes[i] | strong_writes[i]);
    if (site.writes) meets |= granules[i] & (reads[i] | strongs[i]);
    if (!site.is_strong) {
      (site.writes ? writes : reads)[i] |= granules[i];
    } else {
      strongs[i] |= granules[i];
      if (site.writes) strong_writes[i] |= granules[i];
    }
  }
  return meets;
}

uint64_t SharedRaces::mark(Interval& interval, const Logged& access) const {
  const SiteInfo& site = sites_[access.site];
  if (access.pattern == nullptr || access.pattern->granules_form == AccessPattern::Granules::scattered) {
    uint64_t meets = 0;
    for (uint32_t left = lanes_of(access); left != 0; left &= left - 1) {
      const uint32_t first = granule_of(access, static_cast<uint32_t>(std::countr_zero(left)));
      for (uint32_t i = first; i < first + (site.bytes >> granule_bits_); ++i) {
        const uint64_t bit = uint64_t{1} << (i % 64);
        meets |= mark_words(interval, site, i / 64, &bit, 1);
      }
    }
    return meets;
  }
  const AccessPattern& pattern = *access.pattern;
  const auto first = static_cast<uint64_t>(int64_t{access.offset} + pattern.lowest) >> granule_bits_;
  const size_t word = first / 64, count = pattern.granules.size();
  const uint64_t* granules = pattern.granules.data();
  const uint32_t shift = first % 64;
  if (shift == 0) return mark_words(interval, site, word, granules, count);
  std::array<uint64_t, kMostWords + 1> shifted;
  uint64_t carry = 0;
  for (size_t i = 0; i < count; ++i) {
    shifted[i] = granules[i] << shift | carry;
    carry = granules[i] >> (64 - shift);
  }
  shifted[count] = carry;
  return mark_words(interval, site, word, shifted.data(), count + (carry != 0 ? 1 : 0));
}

/// The granules of a pattern, from its lowest one on.
void SharedRaces::find_granules(AccessPattern& pattern) const {
  const auto span = static_cast<uint64_t>(pattern.end - pattern.lowest) >> granule_bits_;
  const size_t words = (span + 63) / 64;
  if (words > std::min<size_t>(kMostWords, std::max(4U, 2 * pattern.lanes))) {
    pattern.granules_form = AccessPattern::Granules::scattered;
    return;
  }
  pattern.granules.assign(words, 0);
  for (uint32_t left = pattern.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    const auto first = static_cast<uint64_t>(pattern.delta[lane] - pattern.lowest) >> granule_bits_;
    for (uint64_t i = first; i < first + (pattern.bytes_per_lane >> granule_bits_); ++i)
      pattern.granules[i / 64] |= uint64_t{1} << (i % 64);
  }
  pattern.granules_form = AccessPattern::Granules::mask;
}

void SharedRaces::append(uint32_t warp, Logged access) {
  WarpState& state = warps_[warp];
  if (state.synchronisations != access.synchronisations) {
    state.synchronisations = access.synchronisations;
    restart_segment(state);
  }
  const SiteInfo& info = sites_[access.site];
  if (info.takes_stale) note_expectation(state, access);
  if (info.is_strong) synchronise(warp, access);
  Interval& interval = *state.open;
  const uint64_t meets = mark(interval, access);
  const bool matters = info.writes ? state.lanes_known || interval.log.size() > state.segment : state.segment_writes;
  if (meets != 0 && matters) {
    if (!state.lanes_known) learn_lanes(state);
    check_lanes(state, access);
  }
  state.segment_writes = state.segment_writes || info.writes;
  if (state.lanes_known) note_lanes(state, access);
  interval.log.push_back(access);
  if (interval.log.size() >= interval.log_limit) compact(state);
}

/// The plain read of the same address with which the access's first lane has prepared it, if there is one.
void SharedRaces::note_expectation(const WarpState& state, const Logged& access) {
  constexpr uint32_t kMostSearches = 64;  // per instruction
  uint32_t& searches = searches_[access.site];
  if (searches >= kMostSearches) return;
  ++searches;
  const auto lane = static_cast<uint32_t>(std::countr_zero(lanes_of(access)));
  const uint32_t granule = granule_of(access, lane);
  const auto& log = state.open->log;
  for (size_t i = log.size(); i-- > 0;) {
    const SiteInfo& site = sites_[log[i].site];
    if (site.writes || site.is_strong || (lanes_of(log[i]) >> lane & 1) == 0) continue;
    const uint32_t first = granule_of(log[i], lane);
    if (granule < first || granule >= first + (site.bytes >> granule_bits_)) continue;
    expectant_reads_.insert({access.site, log[i].site});
    return;
  }
}

void SharedRaces::restart_segment(WarpState& state) const {
  state.segment = state.open->log.size();
  state.segment_writes = false;
  if (!state.lanes_known) return;
  state.lanes_known = false;
  for (size_t i = 0; i < state.noted.size(); ++i) {
    for (uint64_t left = state.noted[i]; left != 0; left &= left - 1) {
      const size_t first = (i * 64 + static_cast<size_t>(std::countr_zero(left))) * 512;
      std::fill_n(state.writer.begin() + static_cast<ptrdiff_t>(first), 512, uint8_t{0});
      std::fill_n(state.reader.begin() + static_cast<ptrdiff_t>(first), 512, uint8_t{0});
    }
    state.noted[i] = 0;
  }
}

/// Drops the accesses that add no information about their instruction: it has already touched these granules, and if it
/// stores, changed them. What remains is bounded by the number of instructions and the size of the memory.
void SharedRaces::compact(WarpState& state) {
  Interval& interval = *state.open;
  state.may_repeat = false;  // the log no longer contains everything it did
  if (!state.lanes_known && interval.log.size() > state.segment) learn_lanes(state);
  struct Known {
    std::vector<bool> touched, changed;
  };
  std::unordered_map<uint32_t, Known> known;
  size_t kept = 0, segment = 0;
  for (size_t i = 0; i < interval.log.size(); ++i) {
    const Logged access = interval.log[i];
    Known& of_site = known[access.site];
    if (of_site.touched.empty()) {
      of_site.touched.resize(words_ * 64);
      of_site.changed.resize(words_ * 64);
    }
    bool is_new = false;
    for (uint32_t left = lanes_of(access); left != 0; left &= left - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(left));
      const uint32_t first = granule_of(access, lane);
      const bool changes = (access.changed >> lane & 1) != 0;
      for (uint32_t g = first; g < first + (sites_[access.site].bytes >> granule_bits_); ++g) {
        is_new = is_new || !of_site.touched[g] || (changes && !of_site.changed[g]);
        of_site.touched[g] = true;
        if (changes) of_site.changed[g] = true;
      }
    }
    if (!is_new) continue;
    if (i < state.segment) segment = kept + 1;
    interval.log[kept++] = access;
  }
  interval.log.resize(kept);
  state.segment = segment;
  interval.log_limit = std::max(kFirstLimit, 2 * kept);
}

void SharedRaces::keep_patterns() {
  std::vector<KeptPattern> kept;
  std::unordered_map<const AccessPattern*, uint32_t> numbers;
  const auto keep = [&](Logged& access) {
    if (access.pattern != nullptr) {
      const auto [place, is_new] = numbers.try_emplace(access.pattern, static_cast<uint32_t>(kept.size()));
      if (is_new) {
        KeptPattern& copy = kept.emplace_back();
        copy.mask = access.pattern->mask;
        for (size_t lane = 0; lane < 32; ++lane) copy.delta[lane] = static_cast<int32_t>(access.pattern->delta[lane]);
      }
      access.pattern = nullptr;
      access.kept = place->second;
    } else {
      kept.push_back(kept_[access.kept]);
      access.kept = static_cast<uint32_t>(kept.size() - 1);
    }
  };
  for (uint32_t warp = 0; warp < warps_.size(); ++warp) leave_round(warp);
  forget_rounds();
  for (WarpState& state : warps_) {
    compact(state);
    for (Logged& access : state.open->log) keep(access);
    for (Logged& access : state.copies) keep(access);
  }
  for (auto& interval : closed_)
    for (Logged& access : interval->log) keep(access);
  kept_ = std::move(kept);
}

std::vector<SharedRace> SharedRaces::take_found() { return std::exchange(found_, {}); }

}  // namespace tilescope
