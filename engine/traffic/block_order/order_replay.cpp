// The units of a grid, replayed in an order through the L2 (engine/traffic/block_order/issue_order.hpp).
#include <algorithm>

#include "engine/traffic/block_order/issue_order.hpp"
#include "engine/traffic/block_order/replay_cache.hpp"
#include "engine/traffic/block_order/resident_blocks.hpp"

namespace tilescope {
namespace {

constexpr uint32_t kNone = 0xffffffff;

}  // namespace

/// One replay: blocks start in order as slots become free, and the turns of running blocks interleave.
class Replayer {
 public:
  Replayer(const OrderReplay& replay, std::span<const uint32_t> order, const ModelledCache& cache)
      : replay_(replay),
        order_(order),
        machine_(cache),
        clusters_(cache.multiprocessors, cache.pace.gpcs),
        cache_(static_cast<uint64_t>(static_cast<double>(cache.bytes) * cache.pace.capacity), cache.partitions,
               replay.unit_bytes_, cache.pace.capacity_spread),
        keys_(replay.keys_.size()),
        read_(keys_, 0),
        arrivals_(replay.unit_bytes_.size(), 0) {}

  OrderTraffic run(const std::stop_token& stop) {
    make_waves();
    places_.resize(std::min(places(), replay_.blocks_));
    strips_.resize(places_.size() * keys_);
    ResidentBlocks running(machine_.pace, clusters_, replay_.steps_of_turn_, static_cast<uint32_t>(places_.size()));
    for (uint32_t place = 0; place < places_.size(); ++place) begin_block(place, running);
    while (!stop.stop_requested()) {
      const std::span<const uint32_t> due = running.next();
      if (due.empty()) break;
      for (const uint32_t place : due) {
        if (!places_[place].ended) {
          take_turn(place);
          const double arrival = running.work(place, missed_, asked_, arrival_);
          for (const uint32_t unit : fetched_) arrivals_[unit] = arrival;
        } else if (next_ == replay_.blocks_) {
          running.leave(place);
        } else {
          begin_block(place, running);
        }
      }
    }
    return take_result();
  }

 private:
  /// A slot in which one block at a time runs.
  struct Place {
    uint32_t position = 0;  // position of its block in the order
    uint32_t wave = 0, turn = 0;
    bool ended = false;  // its last turn has begun
  };

  uint64_t block_at(uint64_t position) const { return order_.empty() ? position : order_[position]; }
  uint64_t places() const { return uint64_t{machine_.multiprocessors} * machine_.blocks_per_multiprocessor; }

  void begin_block(uint32_t place, ResidentBlocks& running) {
    places_[place] = {.position = static_cast<uint32_t>(next_), .wave = static_cast<uint32_t>(next_ / places())};
    ++next_;
    running.seat(place, places_[place].position);
    const uint64_t block = block_at(places_[place].position);
    for (size_t key = 0; key < keys_; ++key) {
      const uint32_t strip = replay_.strip_of_[block * keys_ + key];
      strips_[place * keys_ + key] = strip == kNone ? nullptr : &replay_.strips_[strip];
    }
  }

  void take_turn(uint32_t index) {
    Place& place = places_[index];
    const uint32_t side = clusters_.gpc_of(index % machine_.multiprocessors) % machine_.partitions;
    uint64_t from_device = 0;
    asked_ = 0;
    arrival_ = 0;
    fetched_.clear();
    bool ended = true;
    for (size_t key = 0; key < keys_; ++key) {
      const OrderReplay::Strip* strip = strips_[index * keys_ + key];
      if (strip == nullptr) continue;
      ended = ended && place.turn + 1 >= strip->first_turn + strip->turn_ends.size();
      if (place.turn < strip->first_turn) continue;
      const uint32_t turn = place.turn - strip->first_turn;
      if (turn >= strip->turn_ends.size()) continue;
      const OrderReplay::Use* use = strip->uses.data() + (turn == 0 ? 0 : strip->turn_ends[turn - 1]);
      const OrderReplay::Use* end = strip->uses.data() + strip->turn_ends[turn];
      if (replay_.keys_[key].write) {
        for (; use < end; ++use) cache_.write(use->unit);
        continue;
      }
      uint64_t of_key = 0;
      for (; use < end; ++use) {
        const uint64_t missed = cache_.read(side, use->unit);
        of_key += missed;
        if (missed > 0)
          fetched_.push_back(use->unit);
        else
          arrival_ = std::max(arrival_, arrivals_[use->unit]);
        asked_ += replay_.unit_bytes_[use->unit];
      }
      read_[key] += of_key;
      from_device += of_key;
    }
    result_.waves[place.wave].device_bytes_read += from_device;
    missed_ = from_device;
    place.ended = ended;
    ++place.turn;
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
  const GpuClusters clusters_;
  ReplayCache cache_;
  const size_t keys_;
  std::vector<uint64_t> read_;       // from device memory, by key
  std::vector<double> arrivals_;     // by unit: when it was in the L2 after it was last fetched from device memory
  uint64_t missed_ = 0, asked_ = 0;  // for the last turn: from device memory, and in total
  std::vector<uint32_t> fetched_;    // units, for the last turn
  double arrival_ = 0;               // when the data that earlier turns requested is there
  uint64_t next_ = 0;
  std::vector<Place> places_;
  std::vector<const OrderReplay::Strip*> strips_;  // by slot and key, for the slot's block
  OrderTraffic result_;
};

OrderTraffic OrderReplay::replay(std::span<const uint32_t> order, const ModelledCache& cache,
                                 const std::stop_token& stop) const {
  return Replayer(*this, order, cache).run(stop);
}

}  // namespace tilescope
