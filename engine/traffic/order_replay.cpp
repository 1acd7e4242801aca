// Footprints cut into units, and replayed in an order (engine/traffic/block_order.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <queue>
#include <random>
#include <set>
#include <unordered_map>

#include "engine/traffic/block_order.hpp"
#include "engine/traffic/coalesce.hpp"
#include "engine/traffic/replay_cache.hpp"

namespace tilescope {
namespace {

constexpr uint32_t kNone = 0xffffffff;
/// Sectors that two units share, over all sectors: rows that do not begin with a sector make neighbours share some.
constexpr double kMostShared = 0.03;
constexpr uint64_t kMostUnits = uint64_t{1} << 23;
constexpr uint64_t kMostUses = uint64_t{1} << 29;  // over the grid: some seconds of replay

int64_t sector_of(int64_t offset) {
  constexpr auto kSector = static_cast<int64_t>(kSectorBytes);
  return offset >= 0 ? offset / kSector : -((-offset + kSector - 1) / kSector);
}

/// Where a region lies, with the pattern's offset moved: what makes two units the same.
struct UnitName {
  size_t key;
  uint32_t shape;
  int64_t offset;
  bool operator==(const UnitName&) const = default;
};
struct UnitHash {
  size_t operator()(const UnitName& name) const {
    uint64_t hash = static_cast<uint64_t>(name.offset) * 0x9e3779b97f4a7c15U;
    hash ^= (hash >> 32) ^ (uint64_t{name.shape} << 8 | name.key) * 0xbf58476d1ce4e5b9U;
    return hash ^ (hash >> 29);
  }
};

}  // namespace

/// Makes the strips of an OrderReplay: first of whole regions; if these overlap, of lines.
class ReplayBuilder {
 public:
  ReplayBuilder(const GridFootprints& grid, std::span<const BufferSpec> buffers, bool lines)
      : grid_(grid), buffers_(buffers), lines_(lines) {}

  Result<OrderReplay> build() {
    replay_.blocks_ = grid_.blocks();
    replay_.keys_ = grid_.keys;
    for (const FootprintKey& key : grid_.keys)
      replay_.buffer_names_.push_back(key.buffer < buffers_.size() ? buffers_[key.buffer].name : "");
    for (const BlockFootprint& pattern : grid_.patterns)
      replay_.steps_ = std::max(replay_.steps_, static_cast<uint32_t>(pattern.size()));
    const size_t keys = grid_.keys.size();
    replay_.strip_of_.assign(grid_.blocks() * keys, kNone);
    for (uint64_t block = 0; block < grid_.blocks(); ++block)
      for (size_t key = 0; key < keys; ++key) {
        auto strip = strip_of(grid_.pattern_of_block[block], key, grid_.shift(block, key));
        if (!strip) return tl::unexpected<Error>(strip.error());
        replay_.strip_of_[block * keys + key] = *strip;
        uses_ += *strip == kNone ? 0 : replay_.strips_[*strip].uses.size();
      }
    for (OrderReplay::Strip& strip : replay_.strips_) strip.bytes = bytes_of(strip);
    if (uses_ > kMostUses)
      return fail(ErrorId::not_modelled, fmt::format("the grid's {} footprints are too many to replay", uses_));
    find_operands();
    find_tiles();
    return std::move(replay_);
  }

  /// Of all sectors of the units that are read or written, the share that two of them have in common.
  double shared_part() const {
    std::map<std::pair<uint32_t, bool>, std::vector<bool>> seen;
    uint64_t sectors = 0, shared = 0;
    for (const auto& [name, unit] : units_) {
      const FootprintKey& key = grid_.keys[name.key];
      auto& bits = seen[{key.buffer, key.write}];
      for (const ByteRun& run : grid_.shapes[name.shape]) {
        const int64_t first = std::max<int64_t>(sector_of(name.offset + run.offset), 0);
        const int64_t last = sector_of(name.offset + run.offset + run.bytes - 1);
        if (last >= 0 && static_cast<size_t>(last) >= bits.size()) bits.resize(static_cast<size_t>(last) * 5 / 4 + 64);
        for (int64_t sector = first; sector <= last; ++sector) {
          auto bit = bits[static_cast<size_t>(sector)];
          shared += bit ? 1 : 0;
          bit = true;
          ++sectors;
        }
      }
    }
    return sectors == 0 ? 0 : static_cast<double>(shared) / static_cast<double>(sectors);
  }

 private:
  /// The strip of a pattern's regions of one key, moved by `shift`. Equal ones of different patterns are one.
  Result<uint32_t> strip_of(uint32_t pattern, size_t key, int64_t shift) {
    const auto [known, is_new] = moved_.try_emplace({pattern, key, shift}, kNone);
    if (!is_new) return known->second;
    OrderReplay::Strip strip;
    strip.key = key;
    strip.first_byte = INT64_MAX;
    for (const StepFootprint& step : grid_.patterns[pattern]) {
      for (const Region& region : step.regions) {
        if (region.buffer != grid_.keys[key].buffer || region.write != grid_.keys[key].write) continue;
        strip.first_byte = std::min(strip.first_byte, region.offset + shift);
        if (lines_)
          add_lines(strip, region, key, region.offset + shift);
        else
          strip.uses.push_back({unit_of({key, region.shape, region.offset + shift},
                                        sector_bytes(grid_.shapes[region.shape], region.offset + shift)),
                                static_cast<uint32_t>(region.requested_bytes)});
      }
      strip.step_ends.push_back(static_cast<uint32_t>(strip.uses.size()));
    }
    if (replay_.unit_bytes_.size() > kMostUnits)
      return fail(ErrorId::not_modelled, "its blocks touch the buffers in too many different pieces");
    if (strip.uses.empty()) return kNone;
    return known->second = same_strip(std::move(strip));
  }

  uint32_t same_strip(OrderReplay::Strip strip) {
    std::vector<uint32_t> units;
    for (const OrderReplay::Use& use : strip.uses) units.push_back(use.unit);
    const auto [known, is_new] =
        by_units_.try_emplace(std::pair(units, strip.step_ends), static_cast<uint32_t>(replay_.strips_.size()));
    if (!is_new) return known->second;
    replay_.strips_.push_back(std::move(strip));
    return known->second;
  }

  /// Of its different units.
  uint64_t bytes_of(const OrderReplay::Strip& strip) const {
    std::vector<uint32_t> units;
    for (const OrderReplay::Use& use : strip.uses) units.push_back(use.unit);
    std::sort(units.begin(), units.end());
    units.erase(std::unique(units.begin(), units.end()), units.end());
    uint64_t bytes = 0;
    for (const uint32_t unit : units) bytes += replay_.unit_bytes_[unit];
    return bytes;
  }

  uint32_t unit_of(const UnitName& name, uint64_t bytes) {
    const auto [known, is_new] = units_.try_emplace(name, static_cast<uint32_t>(replay_.unit_bytes_.size()));
    if (is_new) {
      replay_.unit_bytes_.push_back(static_cast<uint32_t>(bytes));
      replay_.unit_key_.push_back(static_cast<uint16_t>(name.key));
    }
    return known->second;
  }

  /// The region as lines of 128 bytes, each of the sectors that somebody touches of it.
  void add_lines(OrderReplay::Strip& strip, const Region& region, size_t key, int64_t offset) {
    std::map<int64_t, uint32_t> sectors;  // by line: a bit for each
    for (const ByteRun& run : grid_.shapes[region.shape])
      for (int64_t sector = sector_of(offset + run.offset); sector <= sector_of(offset + run.offset + run.bytes - 1);
           ++sector)
        sectors[sector >> 2] |= 1U << (sector & 3);
    uint64_t bytes = 0;
    for (const auto& [line, bits] : sectors) bytes += kSectorBytes * static_cast<uint64_t>(std::popcount(bits));
    for (const auto& [line, bits] : sectors) {
      const uint64_t own = kSectorBytes * static_cast<uint64_t>(std::popcount(bits));
      const uint32_t unit = unit_of({key, kNone, line}, 0);
      if (unit_sectors_.size() <= unit) unit_sectors_.resize(unit + 1, 0);
      unit_sectors_[unit] |= static_cast<uint8_t>(bits);
      replay_.unit_bytes_[unit] = kSectorBytes * static_cast<uint32_t>(std::popcount(unit_sectors_[unit]));
      strip.uses.push_back({unit, static_cast<uint32_t>(region.requested_bytes * own / std::max<uint64_t>(bytes, 1))});
    }
  }

  /// What is read, in the order of the buffers, with the strips in the order of their first bytes.
  void find_operands() {
    const size_t keys = grid_.keys.size();
    for (size_t key = 0; key < keys; ++key) {
      if (grid_.keys[key].write) continue;
      std::set<std::pair<int64_t, uint32_t>> strips;
      for (uint64_t block = 0; block < grid_.blocks(); ++block)
        if (const uint32_t strip = replay_.strip_of_[block * keys + key]; strip != kNone)
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
        operand.strip_of_block.push_back(strip == kNone ? kNone : rank[strip]);
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
          if (row == kNone || column == kNone || taken[row * operands[j].strips + column])
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

  const GridFootprints& grid_;
  std::span<const BufferSpec> buffers_;
  const bool lines_;
  OrderReplay replay_;
  uint64_t uses_ = 0;
  std::unordered_map<UnitName, uint32_t, UnitHash> units_;
  std::vector<uint8_t> unit_sectors_;  // of a line
  std::map<std::tuple<uint32_t, size_t, int64_t>, uint32_t> moved_;
  std::map<std::pair<std::vector<uint32_t>, std::vector<uint32_t>>, uint32_t> by_units_;
};

Result<OrderReplay> OrderReplay::make(const GridFootprints& grid, std::span<const BufferSpec> buffers) {
  ReplayBuilder whole(grid, buffers, false);
  auto replay = whole.build();
  if (replay && whole.shared_part() <= kMostShared) return replay;
  return ReplayBuilder(grid, buffers, true).build();
}

/// One replay: blocks begin in order as places become free, and the steps of those that run interleave.
class Replayer {
 public:
  Replayer(const OrderReplay& replay, std::span<const uint32_t> order, const ModelledCache& cache)
      : replay_(replay),
        order_(order),
        machine_(cache),
        cache_(cache.bytes, cache.partitions, replay.unit_bytes_),
        keys_(replay.keys_.size()),
        read_(keys_, 0) {}

  OrderTraffic run() {
    make_waves();
    const uint64_t places = uint64_t{machine_.multiprocessors} * machine_.blocks_per_multiprocessor;
    const std::vector<double> pace = paces();
    for (uint64_t place = 0; place < std::min(places, replay_.blocks_); ++place)
      running_.push({0, static_cast<uint32_t>(place % machine_.multiprocessors), next_++, 0});
    while (!running_.empty()) {
      Turn turn = running_.top();
      running_.pop();
      const bool ended = do_step(turn);
      turn.time += pace[turn.multiprocessor];
      if (!ended)
        ++turn.step;
      else if (next_ < replay_.blocks_)
        turn.position = next_++, turn.step = 0;
      else
        continue;
      running_.push(turn);
    }
    return take_result();
  }

 private:
  /// The next step of the block at a position of the order.
  struct Turn {
    double time;
    uint32_t multiprocessor;
    uint64_t position;
    uint32_t step;
    bool operator<(const Turn& other) const {  // the earliest is on top
      return time != other.time ? time > other.time : position > other.position;
    }
  };

  uint64_t block_at(uint64_t position) const { return order_.empty() ? position : order_[position]; }
  uint64_t places() const { return uint64_t{machine_.multiprocessors} * machine_.blocks_per_multiprocessor; }

  /// No two multiprocessors are equally fast: the way to the L2 is longer from some. A fixed draw from a distribution
  /// that is close to normal, so that the model is the same on every host.
  std::vector<double> paces() const {
    std::mt19937 random(1);
    std::vector<double> pace;
    for (uint32_t i = 0; i < machine_.multiprocessors; ++i) {
      double sum = -6;
      for (int part = 0; part < 12; ++part) sum += static_cast<double>(random()) / 4294967296.0;
      pace.push_back(1 + machine_.pace_spread * sum);
    }
    return pace;
  }

  /// Whether it was the block's last.
  bool do_step(const Turn& turn) {
    const uint64_t block = block_at(turn.position);
    const uint32_t side = turn.multiprocessor % machine_.partitions;
    uint64_t from_device = 0;
    bool ended = true;
    for (size_t key = 0; key < keys_; ++key) {
      const uint32_t strip_index = replay_.strip_of_[block * keys_ + key];
      if (strip_index == kNone) continue;
      const OrderReplay::Strip& strip = replay_.strips_[strip_index];
      ended = ended && turn.step + 1 >= strip.step_ends.size();
      if (turn.step >= strip.step_ends.size()) continue;
      const bool write = replay_.keys_[key].write;
      uint64_t of_key = 0;
      for (uint32_t i = turn.step == 0 ? 0 : strip.step_ends[turn.step - 1]; i < strip.step_ends[turn.step]; ++i) {
        if (write)
          cache_.write(strip.uses[i].unit);
        else
          of_key += cache_.read(side, strip.uses[i].unit);
      }
      read_[key] += of_key;
      from_device += of_key;
    }
    result_.waves[turn.position / places()].device_bytes_read += from_device;
    return ended;
  }

  void make_waves() {
    const auto& operands = replay_.operands_;
    for (uint64_t first = 0; first < replay_.blocks_; first += places()) {
      WaveTraffic wave;
      wave.first_block = first;
      wave.blocks = std::min(places(), replay_.blocks_ - first);
      for (const OrderedOperand& operand : operands) {
        std::vector<bool> seen(operand.strips, false);
        uint32_t strips = 0;
        for (uint64_t position = first; position < first + wave.blocks; ++position) {
          const uint32_t strip = operand.strip_of_block[block_at(position)];
          if (strip == kNone || seen[strip]) continue;
          seen[strip] = true;
          ++strips;
          wave.needed_bytes += operand.strip_bytes[strip];
        }
        wave.strips.push_back(strips);
      }
      result_.largest_wave_bytes = std::max(result_.largest_wave_bytes, wave.needed_bytes);
      result_.waves.push_back(std::move(wave));
    }
  }

  OrderTraffic take_result() {
    std::vector<uint64_t> requested(replay_.strips_.size(), 0), asked(keys_, 0), written(keys_, 0);
    for (size_t i = 0; i < requested.size(); ++i)
      for (const OrderReplay::Use& use : replay_.strips_[i].uses) requested[i] += use.requested_bytes;
    for (uint64_t block = 0; block < replay_.blocks_; ++block)
      for (size_t key = 0; key < keys_; ++key)
        if (const uint32_t strip = replay_.strip_of_[block * keys_ + key]; strip != kNone)
          asked[key] += requested[strip];
    const std::vector<uint64_t> back = cache_.write_back();
    for (size_t unit = 0; unit < back.size(); ++unit) written[replay_.unit_key_[unit]] += back[unit];
    for (size_t key = 0; key < keys_; ++key) add_key(key, asked[key], written[key]);
    if (result_.l2_bytes_read != 0)
      result_.l2_hit_rate =
          1 - static_cast<double>(result_.device_bytes_read) / static_cast<double>(result_.l2_bytes_read);
    return std::move(result_);
  }

  void add_key(size_t key, uint64_t asked, uint64_t written) {
    const FootprintKey& what = replay_.keys_[key];
    auto buffer = std::find_if(result_.buffers.begin(), result_.buffers.end(),
                               [&](const OrderedBuffer& one) { return one.buffer == what.buffer; });
    if (buffer == result_.buffers.end())
      buffer = result_.buffers.insert(buffer, {.buffer = what.buffer, .name = replay_.buffer_names_[key]});
    (what.write ? buffer->l2_bytes_written : buffer->l2_bytes_read) += asked;
    (what.write ? result_.l2_bytes_written : result_.l2_bytes_read) += asked;
    buffer->device_bytes_read += read_[key];
    buffer->device_bytes_written += written;
    result_.device_bytes_read += read_[key];
    result_.device_bytes_written += written;
  }

  const OrderReplay& replay_;
  std::span<const uint32_t> order_;
  const ModelledCache& machine_;
  ReplayCache cache_;
  const size_t keys_;
  std::vector<uint64_t> read_;  // from device memory, by key
  uint64_t next_ = 0;
  std::priority_queue<Turn> running_;
  OrderTraffic result_;
};

OrderTraffic OrderReplay::replay(std::span<const uint32_t> order, const ModelledCache& cache) const {
  OrderTraffic traffic = Replayer(*this, order, cache).run();
  traffic.blocks.assign(order.begin(), order.end());
  return traffic;
}

}  // namespace tilescope
