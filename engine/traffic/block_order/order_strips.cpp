// Divides footprints into units that blocks share entirely or not at all (engine/traffic/block_order/issue_order.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory_resource>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "engine/parallel.hpp"
#include "engine/traffic/access/coalesce.hpp"
#include "engine/traffic/block_order/issue_order.hpp"
#include "engine/traffic/block_order/shifted_parts.hpp"

namespace tilescope {
namespace {

constexpr uint32_t kNoStrip = 0xffffffff;
/// Maximum fraction of sectors that belong to two units: rows that do not begin at a sector boundary share some with
/// their neighbours.
constexpr double kMostShared = 0.03;
constexpr uint64_t kMostUnits = uint64_t{1} << 23;
constexpr uint64_t kMostUses = uint64_t{1} << 29;  // over the grid: some seconds of replay

}  // namespace

/// Merges short steps into turns, and units that are then always used in the same turns into one: they only need to be
/// looked up once.
class UnitJoiner {
 public:
  /// strips: in the order in which the merged units are numbered.
  static void join(OrderReplay& replay, std::span<const uint32_t> strips) {
    UnitJoiner joiner(replay);
    replay.steps_of_turn_ = joiner.steps_of_turn_;
    for (const uint32_t strip : strips) joiner.make_turns(replay.strips_[strip]);
    joiner.find_users(strips);
    for (const uint32_t strip : strips) joiner.join_uses(replay.strips_[strip]);
    joiner.take_bytes();
  }

 private:
  explicit UnitJoiner(OrderReplay& replay)
      : replay_(replay), steps_of_turn_(steps_of_turn(replay)), users_(replay.unit_bytes_.size()) {}

  /// Chosen so that a block reads at least kTurnBytes per turn, yet takes kFewestTurns turns if it has that many steps.
  /// If all blocks together would take more than kMostTurns turns, each takes fewer, down to kLeastTurns.
  static uint32_t steps_of_turn(const OrderReplay& replay) {
    std::vector<uint64_t> of_key(replay.keys_.size(), 0);
    for (const OrderReplay::Strip& strip : replay.strips_)
      if (!replay.keys_[strip.key].write) of_key[strip.key] = std::max(of_key[strip.key], strip.bytes);
    const uint64_t bytes = std::accumulate(of_key.begin(), of_key.end(), uint64_t{0});
    if (bytes == 0) return 1;
    const uint64_t wanted = kTurnBytes * replay.steps_ / bytes;
    const uint64_t fine = std::clamp<uint64_t>(replay.steps_ / kFewestTurns, 1, std::max<uint64_t>(wanted, 1));
    const uint64_t coarse =
        std::min<uint64_t>(replay.steps_ * replay.blocks_ / kMostTurns, replay.steps_ / kLeastTurns);
    return static_cast<uint32_t>(std::max(fine, coarse));
  }

  void make_turns(OrderReplay::Strip& strip) const {
    if (steps_of_turn_ == 1) return;
    const auto steps = static_cast<uint32_t>(strip.first_turn + strip.turn_ends.size());
    std::vector<uint32_t> ends;
    for (uint32_t turn = strip.first_turn / steps_of_turn_; turn * steps_of_turn_ < steps; ++turn)
      ends.push_back(strip.turn_ends[std::min((turn + 1) * steps_of_turn_, steps) - 1 - strip.first_turn]);
    strip.first_turn /= steps_of_turn_;
    strip.turn_ends = std::move(ends);
  }

  /// Calls with each use and the number of its turn, among all strips' turns.
  template <class Call>
  static void for_each_use(const OrderReplay::Strip& strip, uint32_t& turn, const Call& call) {
    uint32_t use = 0;
    for (const uint32_t end : strip.turn_ends) {
      ++turn;
      for (; use < end; ++use) call(strip.uses[use], turn);
    }
  }

  void find_users(std::span<const uint32_t> strips) {
    std::vector<uint32_t> last(users_.size(), 0);
    uint32_t turn = 0;
    for (const uint32_t strip : strips)
      for_each_use(replay_.strips_[strip], turn, [&](const OrderReplay::Use& use, uint32_t number) {
        if (std::exchange(last[use.unit], number) != number) users_[use.unit].add(number);
      });
    std::unordered_map<uint64_t, uint32_t> joined;
    joined_.assign(users_.size(), kNoStrip);
    for (const uint32_t strip : strips)
      for (const OrderReplay::Use& use : replay_.strips_[strip].uses)
        if (joined_[use.unit] == kNoStrip)
          joined_[use.unit] =
              joined.try_emplace(users_[use.unit].short_form(), static_cast<uint32_t>(joined.size())).first->second;
    place_.assign(joined.size(), {});
  }

  void join_uses(OrderReplay::Strip& strip) {
    std::vector<OrderReplay::Use> uses;
    std::vector<uint32_t> ends;
    uint32_t use = 0;
    for (const uint32_t end : strip.turn_ends) {
      ++turn_;
      for (; use < end; ++use) {
        const uint32_t unit = joined_[strip.uses[use].unit];
        if (place_[unit].turn != turn_) {
          place_[unit] = {turn_, static_cast<uint32_t>(uses.size())};
          uses.push_back({unit, 0});
        }
        uses[place_[unit].use].requested_bytes += strip.uses[use].requested_bytes;
      }
      ends.push_back(static_cast<uint32_t>(uses.size()));
    }
    strip.uses = std::move(uses);
    strip.turn_ends = std::move(ends);
  }

  void take_bytes() {
    std::vector<uint32_t> bytes(place_.size(), 0);
    std::vector<uint16_t> keys(place_.size(), 0);
    for (uint32_t unit = 0; unit < joined_.size(); ++unit) {
      if (joined_[unit] == kNoStrip) continue;
      bytes[joined_[unit]] += replay_.unit_bytes_[unit];
      keys[joined_[unit]] = replay_.unit_key_[unit];
    }
    replay_.unit_bytes_ = std::move(bytes);
    replay_.unit_key_ = std::move(keys);
  }

  static constexpr uint64_t kTurnBytes = 98304;  // with 8 times as many turns, device bytes change by less than 0.1%
  static constexpr uint64_t kFewestTurns = 32;
  static constexpr uint64_t kMostTurns = 640'000;  // over all blocks
  static constexpr uint64_t kLeastTurns = 6;       // of each block, if it has that many steps
  struct LastUse {
    uint32_t turn = 0, use = 0;
  };

  OrderReplay& replay_;
  const uint32_t steps_of_turn_;
  std::vector<Digest> users_;     // by unit: the turns that use it
  std::vector<uint32_t> joined_;  // by unit: the unit that it is merged into
  std::vector<LastUse> place_;    // for each of those
  uint32_t turn_ = 0;
};

/// Builds the strips of an OrderReplay: from whole regions; if these overlap, from lines.
class ReplayBuilder {
 public:
  ReplayBuilder(const GridFootprints& grid, std::span<const BufferSpec> buffers, bool lines)
      : grid_(grid), buffers_(buffers), lines_(lines) {}

  /// From lines where whole regions do not do.
  Result<OrderReplay> build() {
    const auto by_lines = [&] { return ReplayBuilder(grid_, buffers_, true).build(); };
    if (auto done = build_strips(); !done) return lines_ ? forward(done) : by_lines();
    Result<OrderReplay> replay = fail(ErrorId::not_modelled);
    bool shares_little = true;
    parallel_for(2, 1, [&](size_t part, size_t) {
      if (part == 0) replay = finish();
      if (part == 1) shares_little = lines_ || shared_part() <= kMostShared;
    });
    if (!lines_ && (!replay || !shares_little)) return by_lines();
    return replay;
  }

 private:
  Result<void> build_strips() {
    replay_.blocks_ = grid_.blocks();
    replay_.keys_ = grid_.keys;
    for (const FootprintKey& key : grid_.keys)
      replay_.buffer_names_.push_back(key.buffer < buffers_.size() ? buffers_[key.buffer].name : "");
    for (const BlockFootprint& pattern : grid_.patterns)
      replay_.steps_ = std::max(replay_.steps_, static_cast<uint32_t>(pattern.size()));
    list_regions();
    const size_t keys = grid_.keys.size();
    replay_.strip_of_.assign(grid_.blocks() * keys, kNoStrip);
    moved_.reserve(grid_.blocks() * 2);  // most blocks write a strip of their own
    by_units_.reserve(grid_.blocks() * 2);
    units_.reserve(grid_.blocks() * 2);
    for (uint64_t block = 0; block < grid_.blocks(); ++block)
      for (size_t key = 0; key < keys; ++key) {
        auto strip = strip_of(grid_.pattern_of_block[block], key, grid_.shift(block, key));
        if (!strip) return forward(strip);
        replay_.strip_of_[block * keys + key] = *strip;
      }
    return {};
  }

  Result<OrderReplay> finish() {
    for (OrderReplay::Strip& strip : replay_.strips_) strip.bytes = bytes_of(strip);
    add_digests();
    UnitJoiner::join(replay_, strips_in_order());
    if (const uint64_t uses = count_uses(); uses > kMostUses)
      return fail(ErrorId::not_modelled, phrase("the grid's {} footprints are too many to replay", uses));
    find_operands();
    find_tiles();
    if (replay_.tile_rows_ != 0) replay_.digest_ = digest_of_tiles();
    return std::move(replay_);
  }

  /// The fraction of all sectors of read or written units that two of them have in common.
  double shared_part() const {
    std::map<std::pair<uint32_t, bool>, SectorSet> seen;
    uint64_t sectors = 0, shared = 0;
    for (const ShiftedPart& name : unit_names_) {
      const FootprintKey& key = grid_.keys[name.key];
      SectorSet& known = seen[{key.buffer, key.write}];
      for (const ByteRun& run : grid_.shapes[name.number]) {
        const int64_t first = std::max<int64_t>(sector_of(name.offset + run.offset), 0);
        const int64_t last = sector_of(name.offset + run.offset + run.bytes - 1);
        if (last < first) continue;
        shared += known.add(static_cast<uint64_t>(first), static_cast<uint64_t>(last));
        sectors += static_cast<uint64_t>(last - first + 1);
      }
    }
    return sectors == 0 ? 0 : static_cast<double>(shared) / static_cast<double>(sectors);
  }

  /// The regions of each pattern and key, so that a strip of few of them does not have to look at every step.
  void list_regions() {
    regions_.resize(grid_.patterns.size() * grid_.keys.size());
    for (size_t pattern = 0; pattern < grid_.patterns.size(); ++pattern) {
      const BlockFootprint& steps = grid_.patterns[pattern];
      for (uint32_t step = 0; step < steps.size(); ++step)
        for (const Region& region : steps[step].regions) {
          const auto key = std::ranges::find(grid_.keys, FootprintKey{region.buffer, region.write});
          if (key == grid_.keys.end()) continue;
          regions_[pattern * grid_.keys.size() + static_cast<size_t>(key - grid_.keys.begin())].push_back(
              {step, &region});
        }
    }
  }

  /// The strip of a pattern's regions of one key, shifted by `shift`. Equal strips of different patterns are merged.
  Result<uint32_t> strip_of(uint32_t pattern, size_t key, int64_t shift) {
    const auto [known, is_new] = moved_.try_emplace(ShiftedPart{key, pattern, shift}, kNoStrip);
    if (!is_new) return known->second;
    const std::vector<RegionOfStep>& regions = regions_[pattern * grid_.keys.size() + key];
    if (regions.empty()) return kNoStrip;
    OrderReplay::Strip strip;
    strip.key = key;
    strip.first_byte = INT64_MAX;
    strip.first_turn = regions.front().step;
    const size_t steps = grid_.patterns[pattern].size();
    for (size_t next = 0, step = strip.first_turn; step < steps; ++step) {
      for (; next < regions.size() && regions[next].step == step; ++next) {
        const Region& region = *regions[next].region;
        strip.first_byte = std::min(strip.first_byte, region.offset + shift);
        if (lines_)
          add_lines(strip, region, key, region.offset + shift);
        else
          strip.uses.push_back({unit_of({key, region.shape, region.offset + shift},
                                        sector_bytes(grid_.shapes[region.shape], region.offset + shift)),
                                static_cast<uint32_t>(region.requested_bytes)});
      }
      strip.turn_ends.push_back(static_cast<uint32_t>(strip.uses.size()));
    }
    if (replay_.unit_bytes_.size() > kMostUnits)
      return fail(ErrorId::not_modelled, "its blocks touch the buffers in too many different segments");
    return known->second = same_strip(std::move(strip));
  }

  uint32_t same_strip(OrderReplay::Strip strip) {
    Digest digest;
    digest.add(strip.first_turn);
    for (const uint32_t end : strip.turn_ends) digest.add(end);
    for (const OrderReplay::Use& use : strip.uses) digest.add(use.unit);
    const auto [known, is_new] = by_units_.try_emplace(digest, static_cast<uint32_t>(replay_.strips_.size()));
    if (is_new) replay_.strips_.push_back(std::move(strip));
    return known->second;
  }

  /// Bytes of its different units.
  uint64_t bytes_of(const OrderReplay::Strip& strip) const {
    std::vector<uint32_t> units;
    for (const OrderReplay::Use& use : strip.uses) units.push_back(use.unit);
    std::sort(units.begin(), units.end());
    units.erase(std::unique(units.begin(), units.end()), units.end());
    uint64_t bytes = 0;
    for (const uint32_t unit : units) bytes += replay_.unit_bytes_[unit];
    return bytes;
  }

  uint32_t unit_of(const ShiftedPart& name, uint64_t bytes) {
    const auto [known, is_new] = units_.try_emplace(name, static_cast<uint32_t>(replay_.unit_bytes_.size()));
    if (is_new) {
      replay_.unit_bytes_.push_back(static_cast<uint32_t>(bytes));
      replay_.unit_key_.push_back(static_cast<uint16_t>(name.key));
      unit_names_.push_back(name);
    }
    return known->second;
  }

  /// Adds the region as lines of 128 bytes, each with the sectors that are touched.
  void add_lines(OrderReplay::Strip& strip, const Region& region, size_t key, int64_t offset) {
    std::vector<std::pair<int64_t, uint32_t>> sectors;  // by line: a bit for each sector; runs ascend
    for (const ByteRun& run : grid_.shapes[region.shape])
      for (int64_t sector = sector_of(offset + run.offset); sector <= sector_of(offset + run.offset + run.bytes - 1);
           ++sector) {
        if (sectors.empty() || sectors.back().first != sector >> 2) sectors.emplace_back(sector >> 2, 0);
        sectors.back().second |= 1U << (sector & 3);
      }
    uint64_t bytes = 0;
    for (const auto& [line, bits] : sectors) bytes += kSectorBytes * static_cast<uint64_t>(std::popcount(bits));
    for (const auto& [line, bits] : sectors) {
      const uint64_t own = kSectorBytes * static_cast<uint64_t>(std::popcount(bits));
      const uint32_t unit = unit_of({key, kNoStrip, line}, 0);
      if (unit_sectors_.size() <= unit) unit_sectors_.resize(unit + 1, 0);
      unit_sectors_[unit] |= static_cast<uint8_t>(bits);
      replay_.unit_bytes_[unit] = kSectorBytes * static_cast<uint32_t>(std::popcount(unit_sectors_[unit]));
      strip.uses.push_back({unit, static_cast<uint32_t>(region.requested_bytes * own / std::max<uint64_t>(bytes, 1))});
    }
  }

  /// Strips in an order that does not depend on the blocks' order.
  std::vector<uint32_t> strips_in_order() const {
    std::vector<uint32_t> strips(replay_.strips_.size());
    std::iota(strips.begin(), strips.end(), 0U);
    const auto place = [&](uint32_t strip) {
      const OrderReplay::Strip& one = replay_.strips_[strip];
      const FootprintKey& key = replay_.keys_[one.key];
      return std::tuple(key.buffer, key.write, one.first_byte, one.bytes);
    };
    std::stable_sort(strips.begin(), strips.end(), [&](uint32_t a, uint32_t b) { return place(a) < place(b); });
    return strips;
  }

  /// Digests of what each strip touches, by offsets and shapes, which do not depend on the blocks' order either.
  void add_digests() {
    std::map<uint32_t, Digest> shapes;
    std::vector<uint64_t> units;
    for (uint32_t unit = 0; unit < unit_names_.size(); ++unit) {
      const ShiftedPart& name = unit_names_[unit];
      Digest digest;
      digest.add(grid_.keys[name.key].buffer << 1 | (grid_.keys[name.key].write ? 1U : 0U));
      if (name.number != kNoStrip) {
        const auto [shape, is_new] = shapes.try_emplace(name.number);
        if (is_new)
          for (const ByteRun& run : grid_.shapes[name.number]) {
            shape->second.add(static_cast<uint64_t>(run.offset));
            shape->second.add(static_cast<uint64_t>(run.bytes));
          }
        digest.add(shape->second);
      }
      digest.add(static_cast<uint64_t>(name.offset));
      digest.add(replay_.unit_bytes_[unit]);
      units.push_back(digest.short_form());
    }
    for (OrderReplay::Strip& strip : replay_.strips_) {
      strip.digest.add(strip.first_turn);
      for (const uint32_t end : strip.turn_ends) strip.digest.add(end);
      for (const OrderReplay::Use& use : strip.uses) {
        strip.digest.add(units[use.unit]);
        strip.digest.add(use.requested_bytes);
      }
    }
  }

  Digest digest_of_tiles() const {
    Digest digest;
    digest.add(replay_.tile_rows_);
    digest.add(replay_.tile_columns_);
    std::vector<size_t> keys(replay_.keys_.size());
    std::iota(keys.begin(), keys.end(), size_t{0});
    std::sort(keys.begin(), keys.end(), [&](size_t a, size_t b) {
      return std::pair(grid_.keys[a].buffer, grid_.keys[a].write) <
             std::pair(grid_.keys[b].buffer, grid_.keys[b].write);
    });
    for (const uint32_t block : replay_.blocks_of_tiles())
      for (const size_t key : keys) {
        const uint32_t strip = replay_.strip_of_[block * keys.size() + key];
        digest.add(strip == kNoStrip ? Digest() : replay_.strips_[strip].digest);
      }
    return digest;
  }

  uint64_t count_uses() const {
    uint64_t uses = 0;
    for (const uint32_t strip : replay_.strip_of_)
      if (strip != kNoStrip) uses += replay_.strips_[strip].uses.size();
    return uses;
  }

  /// The operands that are read, in buffer order, with their strips ordered by first byte.
  void find_operands() {
    const size_t keys = grid_.keys.size();
    for (size_t key = 0; key < keys; ++key) {
      if (grid_.keys[key].write) continue;
      std::set<std::pair<int64_t, uint32_t>> strips;
      for (uint64_t block = 0; block < grid_.blocks(); ++block)
        if (const uint32_t strip = replay_.strip_of_[block * keys + key]; strip != kNoStrip)
          strips.insert({replay_.strips_[strip].first_byte, strip});
      if (strips.empty()) continue;
      OrderedOperand operand;
      operand.buffer = grid_.keys[key].buffer;
      operand.name = replay_.buffer_names_[key];
      operand.strips = strips.size();
      std::unordered_map<uint32_t, uint32_t> rank;
      for (const auto& [first, strip] : strips) {
        rank.emplace(strip, static_cast<uint32_t>(rank.size()));
        operand.strip_bytes.push_back(replay_.strips_[strip].bytes);
      }
      for (uint64_t block = 0; block < grid_.blocks(); ++block) {
        const uint32_t strip = replay_.strip_of_[block * keys + key];
        operand.strip_of_block.push_back(strip == kNoStrip ? kNoStrip : rank[strip]);
      }
      replay_.operands_.push_back(std::move(operand));
    }
  }

  void find_tiles() {
    const auto& operands = replay_.operands_;
    for (size_t i = 0; i < operands.size(); ++i) {
      for (size_t j = i + 1; j < operands.size(); ++j) {
        if (operands[i].strips * operands[j].strips != grid_.blocks()) continue;
        std::vector<bool> taken(grid_.blocks(), false);
        bool each_once = true;
        for (uint64_t block = 0; block < grid_.blocks() && each_once; ++block) {
          const uint64_t row = operands[i].strip_of_block[block], column = operands[j].strip_of_block[block];
          if (row == kNoStrip || column == kNoStrip || taken[row * operands[j].strips + column])
            each_once = false;
          else
            taken[row * operands[j].strips + column] = true;
        }
        if (!each_once) continue;
        replay_.tile_rows_ = static_cast<uint32_t>(operands[i].strips);
        replay_.tile_columns_ = static_cast<uint32_t>(operands[j].strips);
        replay_.row_operand_ = i;
        replay_.column_operand_ = j;
        return;
      }
    }
  }

  struct RegionOfStep {
    uint32_t step;
    const Region* region;
  };

  const GridFootprints& grid_;
  std::span<const BufferSpec> buffers_;
  const bool lines_;
  std::vector<std::vector<RegionOfStep>> regions_;  // by pattern and key
  OrderReplay replay_;
  std::pmr::monotonic_buffer_resource memory_;  // the maps only grow
  std::pmr::unordered_map<ShiftedPart, uint32_t, ShiftedHash> units_{&memory_};
  std::vector<uint8_t> unit_sectors_;                                            // per line
  std::pmr::unordered_map<ShiftedPart, uint32_t, ShiftedHash> moved_{&memory_};  // its strip
  std::pmr::unordered_map<Digest, uint32_t, DigestHash> by_units_{&memory_};
  std::vector<ShiftedPart> unit_names_;
};

std::vector<uint32_t> OrderReplay::blocks_of_tiles() const {
  std::vector<uint32_t> blocks(size_t{tile_rows_} * tile_columns_);
  for (uint32_t block = 0; block < blocks.size(); ++block)
    blocks[size_t{operands_[row_operand_].strip_of_block[block]} * tile_columns_ +
           operands_[column_operand_].strip_of_block[block]] = block;
  return blocks;
}

Result<OrderReplay> OrderReplay::make(const GridFootprints& grid, std::span<const BufferSpec> buffers) {
  return ReplayBuilder(grid, buffers, false).build();
}

}  // namespace tilescope
