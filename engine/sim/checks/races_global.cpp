#include "engine/sim/checks/races_global.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tilescope {
namespace {

/// Flags and locks are few. If strong reads cover whole arrays, the observers of some granules are dropped.
constexpr size_t kMostObserved = size_t{1} << 16;

}  // namespace

GlobalRaces::GlobalRaces(const Program& program, const HappensBefore* order)
    : order_(order), granule_bits_(static_cast<uint32_t>(std::countr_zero(program.global_granule))) {
  for (const MemorySite& site : program.sites) {
    SiteInfo info;
    info.writes =
        site.kind == AccessKind::store || site.kind == AccessKind::atomic || site.kind == AccessKind::reduction;
    info.is_strong = site.is_strong;
    info.takes_stale = site.takes_stale;
    info.is_store = site.kind == AccessKind::store;
    info.within_block = site.within_block;
    info.granules = std::max(1U, site.bytes_per_lane >> granule_bits_);
    warps_too_ = warps_too_ && !site.is_strong;
    sites_.push_back(info);
  }
}

void GlobalRaces::clear() {
  for (auto& [number, page] : pages_) {
    *page = Page{};
    spare_.push_back(std::move(page));
  }
  pages_.clear();
  last_page_ = ~uint64_t{0};
  cells_.clear();
  free_cells_.clear();
  observers_.clear();
  found_.clear();
  expectant_reads_.clear();
}

GlobalRaces::Line& GlobalRaces::line_at(uint64_t line) {
  const uint64_t number = line / kPageLines;
  if (number != last_page_) {
    auto& page = pages_[number];
    if (page == nullptr) {
      if (spare_.empty()) {
        page = std::make_unique<Page>();
      } else {
        page = std::move(spare_.back());
        spare_.pop_back();
      }
    }
    last_page_ = number;
    last_ = page.get();
  }
  return last_->lines[line % kPageLines];
}

/// Sixteen bits of a granule's content: enough to distinguish nearly all different values.
uint16_t GlobalRaces::value_of(const uint8_t* bytes) const {
  uint32_t value = 0;
  std::memcpy(&value, bytes, size_t{1} << granule_bits_);
  return static_cast<uint16_t>(value * 0x9e3779b1U >> 16);
}

void GlobalRaces::values_of(const uint8_t* bytes, std::array<uint16_t, 32>& values) const {
  if (granule_bits_ != 2) {
    for (size_t i = 0; i < values.size(); ++i) values[i] = value_of(bytes + (i << granule_bits_));
    return;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    uint32_t value;
    std::memcpy(&value, bytes + 4 * i, 4);
    values[i] = static_cast<uint16_t>(value * 0x9e3779b1U >> 16);
  }
}

void GlobalRaces::access(const GlobalAccessor& who, const AccessPattern& pattern, uint64_t base, const uint8_t* bytes,
                         uint32_t changed) {
  if (pattern.shape == AccessPattern::Shape::contiguous)
    touch_contiguous(who, pattern, base, bytes, changed);
  else
    touch_lanes(who, pattern, base, bytes, changed);
}

/// Contiguous lanes: `who` is lane 0.
void GlobalRaces::touch_contiguous(const GlobalAccessor& who, const AccessPattern& pattern, uint64_t base,
                                   const uint8_t* bytes, uint32_t changed) {
  const SiteInfo& site = sites_[who.site];
  std::array<uint16_t, 32> values{};
  const auto lowest = static_cast<uint32_t>(std::countr_zero(pattern.mask));
  const uint64_t first = base >> granule_bits_;
  if (pattern.mask == 0xffffffff && first % 32 == 0 && 32 % site.granules == 0) {
    touch_whole_lines(who, first / 32, bytes, changed);
    return;
  }
  const uint32_t last_lane = 31 - static_cast<uint32_t>(std::countl_zero(pattern.mask));
  const uint64_t end = first + uint64_t{last_lane - lowest + 1} * site.granules;
  for (uint64_t granule = first; granule < end;) {
    const uint64_t line = granule / 32;
    const uint64_t stop = std::min(end, (line + 1) * 32);
    Touch part;
    part.values = values.data();
    part.owners.first = static_cast<uint8_t>(granule % 32);
    part.owners.per_thread = static_cast<uint8_t>(site.granules);
    part.owners.who = who;
    part.owners.who.thread = static_cast<uint16_t>(who.thread + lowest + (granule - first) / site.granules);
    for (; granule < stop; ++granule) {
      const auto lane = static_cast<uint32_t>(lowest + (granule - first) / site.granules);
      if ((pattern.mask >> lane & 1) == 0) continue;
      const uint32_t bit = 1U << (granule % 32);
      part.owners.mask |= bit;
      if (!site.writes) continue;
      if ((changed >> lane & 1) != 0) part.changed |= bit;
      if (bytes != nullptr)
        values[granule % 32] =
            value_of(bytes + ((lane * site.granules + (granule - first) % site.granules) << granule_bits_));
    }
    if (part.owners.mask != 0) touch(line, part);
  }
}

/// All lanes of a warp, contiguous from the start of a line: every line belongs to one warp entirely.
void GlobalRaces::touch_whole_lines(const GlobalAccessor& who, uint64_t line, const uint8_t* bytes, uint32_t changed) {
  const SiteInfo& site = sites_[who.site];
  const uint32_t lanes = 32 / site.granules;  // per line
  const uint32_t one = static_cast<uint32_t>((uint64_t{1} << site.granules) - 1);
  std::array<uint16_t, 32> values{};
  Touch whole;
  whole.owners.mask = 0xffffffff;
  whole.owners.who = who;
  whole.owners.per_thread = static_cast<uint8_t>(site.granules);
  whole.values = values.data();
  for (uint32_t lane = 0; lane < 32; lane += lanes, ++line) {
    whole.owners.who.thread = static_cast<uint16_t>(who.thread + lane);
    if (site.writes) {
      whole.changed = changed;
      if (changed != 0xffffffff && site.granules != 1) {
        whole.changed = 0;
        for (uint32_t i = 0; i < lanes; ++i)
          if ((changed >> (lane + i) & 1) != 0) whole.changed |= one << (i * site.granules);
      }
      if (bytes != nullptr) values_of(bytes + ((size_t{lane} * site.granules) << granule_bits_), values);
    }
    touch(line, whole);
  }
}

/// Lanes at arbitrary addresses, processed one by one.
void GlobalRaces::touch_lanes(const GlobalAccessor& who, const AccessPattern& pattern, uint64_t base,
                              const uint8_t* bytes, uint32_t changed) {
  const SiteInfo& site = sites_[who.site];
  uint32_t lanes = pattern.mask;
  // One address for all: the last lane's value remains.
  if (pattern.shape == AccessPattern::Shape::uniform) lanes = 1U << (31 - std::countl_zero(lanes));
  std::array<uint16_t, 32> values{};
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    const uint64_t first = (base + static_cast<uint64_t>(pattern.delta[lane])) >> granule_bits_;
    Touch part;
    part.values = values.data();
    part.owners.who = who;
    part.owners.who.thread = static_cast<uint16_t>(who.thread + lane);
    part.owners.first = static_cast<uint8_t>(first % 32);
    part.owners.mask = static_cast<uint32_t>(((uint64_t{1} << site.granules) - 1) << (first % 32));
    if (site.writes && (changed >> lane & 1) != 0) part.changed = part.owners.mask;
    if (site.writes && bytes != nullptr)
      for (uint32_t i = 0; i < site.granules; ++i)
        values[first % 32 + i] = value_of(bytes + ((size_t{lane} * site.granules + i) << granule_bits_));
    touch(first / 32, part);
  }
}

void GlobalRaces::touch(uint64_t number, const Touch& part) {
  Line& line = line_at(number);
  const SiteInfo& site = sites_[part.owners.who.site];
  if ((line.writer.mask & part.owners.mask) != 0) check(number, line, line.writer, cells_, true, part, site.writes);
  if (!site.writes) {
    if (site.is_strong && order_ != nullptr) observe(number, line, part);
    put_reader(line, part.owners, cells_);
    return;
  }
  for (const Owners* reader : {&line.reader, &line.other_reader, &line.warp_reader}) {
    if ((reader->mask & part.owners.mask) == 0) continue;
    if (site.takes_stale) note_expectation(*reader, part.owners);
    check(number, line, *reader, cells_, false, part, true);
  }
  put_writer(line, part, cells_);
}

/// An atomic by a warp that has read the same address before.
void GlobalRaces::note_expectation(const Owners& reader, const Owners& now) {
  const auto granule = static_cast<uint32_t>(std::countr_zero(reader.mask & now.mask));
  const GlobalAccessor read = owner(reader, cells_, granule);
  if (read.block != now.who.block || read.thread / 32 != now.who.thread / 32 || sites_[read.site].is_strong) return;
  expectant_reads_.insert({now.who.site, read.site});
}

/// The owner of a granule of the mask.
GlobalAccessor GlobalRaces::owner(const Owners& owners, const std::vector<Cells>& cells, uint32_t granule) {
  if (owners.cells != kNone) return cells[owners.cells][granule];
  GlobalAccessor who = owners.who;
  if (owners.per_thread != 0)
    who.thread = static_cast<uint16_t>(who.thread + granule / owners.per_thread - owners.first / owners.per_thread);
  return who;
}

/// Two strong accesses whose scopes include each other (morally strong, PTX ISA 9.0, section 8.9.1).
bool GlobalRaces::are_together(const GlobalAccessor& old, const GlobalAccessor& now) const {
  const SiteInfo &of_old = sites_[old.site], &of_now = sites_[now.site];
  if (!of_old.is_strong || !of_now.is_strong) return false;
  return old.block == now.block || (!of_old.within_block && !of_now.within_block);
}

bool GlobalRaces::may_race(const GlobalAccessor& old, const GlobalAccessor& now) const {
  if (are_together(old, now)) return false;
  if (old.block == now.block) return warps_too_ && old.time == now.time && old.thread / 32 != now.thread / 32;
  return order_ == nullptr || !order_->is_before(old.block, old.thread / 32, old.time, now.block, now.thread / 32);
}

/// A strong read of a value left by a strong write of a different block: the write is before the read in observation
/// order, and so before all that follows the read.
void GlobalRaces::observe(uint64_t number, const Line& line, const Touch& part) {
  const uint32_t both = line.writer.mask & part.owners.mask;
  const GlobalAccessor &one = line.writer.who, &now = part.owners.who;
  if (line.writer.cells == kNone && (one.block == now.block || !are_together(one, now))) return;
  for (uint32_t left = both; left != 0; left &= left - 1) {
    const auto granule = static_cast<uint32_t>(std::countr_zero(left));
    const GlobalAccessor writer = owner(line.writer, cells_, granule);
    const GlobalAccessor reader = owner(part.owners, cells_, granule);
    if (writer.block == reader.block || !are_together(writer, reader)) continue;
    if (observers_.size() >= kMostObserved) observers_.clear();
    Observers& observers = observers_[number * 32 + granule];
    if (observers.writer != writer) observers = {writer, {}};
    observers.times.try_emplace(uint64_t{reader.block} * 32 + reader.thread / 32, reader.time);
  }
}

bool GlobalRaces::is_observed(uint64_t granule, const GlobalAccessor& writer, const GlobalAccessor& now) const {
  const auto found = observers_.find(granule);
  if (order_ == nullptr || found == observers_.end() || found->second.writer != writer) return false;
  return std::any_of(found->second.times.begin(), found->second.times.end(), [&](const auto& observer) {
    const auto block = static_cast<uint32_t>(observer.first / 32), warp = static_cast<uint32_t>(observer.first % 32);
    return order_->is_before(block, warp, observer.second, now.block, now.thread / 32);
  });
}

void GlobalRaces::check(uint64_t number, const Line& line, const Owners& old, const std::vector<Cells>& cells_of_old,
                        bool old_writes, const Touch& part, bool writes) {
  const auto& cells_of_part = part.cells != nullptr ? *part.cells : cells_;
  const uint32_t both = old.mask & part.owners.mask;
  // A summary covers one warp, so what holds for one granule holds for all.
  const bool simple = old.cells == kNone && part.owners.cells == kNone;
  if (simple && !may_race(old.who, part.owners.who)) return;
  for (uint32_t left = both; left != 0; left &= left - 1) {
    const auto granule = static_cast<uint32_t>(std::countr_zero(left));
    GlobalRace race;
    race.first = owner(old, cells_of_old, granule);
    race.second = owner(part.owners, cells_of_part, granule);
    if (!simple && !may_race(race.first, race.second)) continue;
    if (old_writes && is_observed(number * 32 + granule, race.first, race.second)) continue;
    const SiteInfo &first = sites_[race.first.site], &second = sites_[race.second.site];
    const bool same_bytes = part.values != nullptr && line.values[granule] == part.values[granule];
    if (old_writes && writes && first.is_store && second.is_store && same_bytes) continue;
    const bool old_changed = !first.is_store || (line.changed >> granule & 1) != 0;
    const bool now_changed = !second.is_store || (part.changed >> granule & 1) != 0;
    race.same_value = !(old_writes && old_changed) && !(writes && now_changed);
    race.address = (number * 32 + granule) << granule_bits_;
    report(race);
  }
}

void GlobalRaces::report(const GlobalRace& race) {
  for (GlobalRace& other : found_) {
    if (other.first.site != race.first.site || other.second.site != race.second.site) continue;
    if (other.same_value != race.same_value || other.one_store != race.one_store) continue;
    if ((other.first.block == other.second.block) != (race.first.block == race.second.block)) continue;
    ++other.count;
    return;
  }
  found_.push_back(race);
}

void GlobalRaces::note_one_store(const GlobalAccessor& who, uint32_t other_thread, uint64_t address) {
  GlobalRace race;
  race.first = race.second = who;
  race.second.thread = static_cast<uint16_t>(other_thread);
  race.address = address;
  race.one_store = true;
  report(race);
}

/// Gives every granule of the line its own cell.
void GlobalRaces::split(Owners& owners) {
  if (owners.cells != kNone) return;
  const Owners whole = owners;
  if (free_cells_.empty()) {
    owners.cells = static_cast<uint32_t>(cells_.size());
    cells_.emplace_back();
  } else {
    owners.cells = free_cells_.back();
    free_cells_.pop_back();
  }
  for (uint32_t left = whole.mask; left != 0; left &= left - 1) {
    const auto granule = static_cast<uint32_t>(std::countr_zero(left));
    cells_[owners.cells][granule] = owner(whole, cells_, granule);
  }
}

void GlobalRaces::put(Owners& into, const Owners& from, const std::vector<Cells>& cells_of_from) {
  if (from.mask == 0) return;
  if (from.cells == kNone) {
    if ((into.mask & ~from.mask) == 0) {
      if (into.cells != kNone) free_cells_.push_back(into.cells);
      into = from;
      return;
    }
    if (into.cells == kNone && into.per_thread == from.per_thread && into.who.block == from.who.block &&
        into.who.time == from.who.time && into.who.site == from.who.site &&
        into.who.thread / 32 == from.who.thread / 32) {  // same warp; see check()
      const auto granule = static_cast<uint32_t>(std::countr_zero(from.mask));
      if (owner(into, cells_, granule).thread == owner(from, cells_of_from, granule).thread) {
        into.mask |= from.mask;
        return;
      }
    }
  }
  split(into);
  for (uint32_t left = from.mask; left != 0; left &= left - 1) {
    const auto granule = static_cast<uint32_t>(std::countr_zero(left));
    cells_[into.cells][granule] = owner(from, cells_of_from, granule);
  }
  into.mask |= from.mask;
}

void GlobalRaces::put_writer(Line& line, const Touch& part, const std::vector<Cells>& cells_of_part) {
  put(line.writer, part.owners, cells_of_part);
  line.changed = (line.changed & ~part.owners.mask) | part.changed;
  if (part.values == nullptr) return;
  if (part.owners.mask == 0xffffffff) {
    std::memcpy(line.values.data(), part.values, sizeof(line.values));
    return;
  }
  for (uint32_t left = part.owners.mask; left != 0; left &= left - 1) {
    const auto granule = static_cast<size_t>(std::countr_zero(left));
    line.values[granule] = part.values[granule];
  }
}

/// A reader replaced by a later one is kept if it belongs to a different block, or to a different warp.
void GlobalRaces::displace(Line& line, const Owners& displaced, const GlobalAccessor& by) {
  if (displaced.who.block != by.block)
    put(line.other_reader, displaced, cells_);
  else if (warps_too_ && displaced.who.thread / 32 != by.thread / 32)
    put(line.warp_reader, displaced, cells_);
}

void GlobalRaces::put_reader(Line& line, const Owners& from, const std::vector<Cells>& cells_of_from) {
  const uint32_t both = line.reader.mask & from.mask;
  if (both != 0 && line.reader.cells == kNone && from.cells == kNone) {
    Owners displaced = line.reader;
    displaced.mask = both;
    displace(line, displaced, from.who);
  } else {
    for (uint32_t left = both; left != 0; left &= left - 1) {
      const auto granule = static_cast<uint32_t>(std::countr_zero(left));
      Owners displaced;
      displaced.mask = 1U << granule;
      displaced.first = static_cast<uint8_t>(granule);
      displaced.who = owner(line.reader, cells_, granule);
      displace(line, displaced, owner(from, cells_of_from, granule));
    }
  }
  put(line.reader, from, cells_of_from);
}

void GlobalRaces::add(const GlobalRaces& later) {
  std::vector<uint64_t> numbers;
  for (const auto& [number, page] : later.pages_) numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  for (const uint64_t number : numbers)
    for (uint64_t i = 0; i < kPageLines; ++i)
      add_line(number * kPageLines + i, later.pages_.at(number)->lines[i], later.cells_);
  expectant_reads_.insert(later.expectant_reads_.begin(), later.expectant_reads_.end());
}

void GlobalRaces::add_line(uint64_t number, const Line& later, const std::vector<Cells>& cells) {
  if ((later.writer.mask | later.reader.mask) == 0) return;
  Line& line = line_at(number);
  Touch write{later.writer, later.changed, later.values.data(), &cells};
  for (const Owners* reader : {&later.reader, &later.other_reader})
    if ((reader->mask & line.writer.mask) != 0)
      check(number, line, line.writer, cells_, true, Touch{*reader, 0, nullptr, &cells}, false);
  if ((line.writer.mask & later.writer.mask) != 0) check(number, line, line.writer, cells_, true, write, true);
  for (const Owners* reader : {&line.reader, &line.other_reader})
    if ((reader->mask & later.writer.mask) != 0) check(number, line, *reader, cells_, false, write, true);
  put_reader(line, later.other_reader, cells);
  put_reader(line, later.reader, cells);
  put_writer(line, write, cells);
}

std::vector<GlobalRace> GlobalRaces::take_found() { return std::exchange(found_, {}); }

}  // namespace tilescope
