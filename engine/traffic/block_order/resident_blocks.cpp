#include "engine/traffic/block_order/resident_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilescope {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kDone = 1e-9;  // threshold on the rest of a turn

}  // namespace

/// Branch-free, because a branch would be mispredicted half of the time.
ResidentBlocks::Event ResidentBlocks::earlier(Event a, Event b) {
  const auto is_first =
      static_cast<uint64_t>(a.time_bits < b.time_bits) |
      (static_cast<uint64_t>(a.time_bits == b.time_bits) & static_cast<uint64_t>(a.second() < b.second()));
  const uint64_t mask = 0 - is_first;
  const uint64_t second = b.second() ^ ((a.second() ^ b.second()) & mask);
  return {b.time_bits ^ ((a.time_bits ^ b.time_bits) & mask), static_cast<uint32_t>(second >> 32),
          static_cast<uint32_t>(second)};
}

ResidentBlocks::Earliest::Earliest(uint32_t count) {
  while (leaves_ < count) leaves_ *= 2;
  winners_.resize(size_t{2} * leaves_, {std::bit_cast<uint64_t>(kNever), 0, 0});
}

void ResidentBlocks::Earliest::put(Event event) {
  for (uint32_t node = leaves_ + event.processor; node > 1; node /= 2) {
    winners_[node] = event;
    event = earlier(event, winners_[node ^ 1]);
  }
  winners_[1] = event;
}

ResidentBlocks::ResidentBlocks(const GridPace& pace, const GpuClusters& clusters, uint32_t steps_of_turn,
                               uint32_t slots)
    : pace_(pace),
      turn_steps_(steps_of_turn),
      multiprocessors_(clusters.multiprocessors()),
      slot_count_(slots),
      slots_each_((slots + multiprocessors_ - 1) / multiprocessors_),
      hidden_ns_(std::max(pace.alone_ns, pace.busy_ns * slots_each_)),
      slots_(size_t{slots_each_} * multiprocessors_),
      places_(slots),
      events_(multiprocessors_),
      touched_(multiprocessors_, 0) {
  for (ProcessorPace& one : processor_paces(pace, clusters, slots_each_)) {
    one.full_rate /= turn_steps_;
    one.most_rate /= turn_steps_;
    processors_.push_back({.pace = one});
  }
  for (uint32_t slot = 0; slot < slots; ++slot) {
    places_[slot] = slot % multiprocessors_ * slots_each_ + slot / multiprocessors_;
    slots_[places_[slot]].number = slot;
  }
}

std::span<ResidentBlocks::Slot> ResidentBlocks::slots_of(uint32_t processor) {
  const uint32_t count = slot_count_ / multiprocessors_ + (processor < slot_count_ % multiprocessors_ ? 1 : 0);
  return {slots_.data() + size_t{processor} * slots_each_, count};
}

void ResidentBlocks::seat(uint32_t slot, uint32_t rank) {
  const uint32_t processor = slot % multiprocessors_;
  slots_[places_[slot]] = {
      .state = State::waits, .number = slot, .rank = rank, .until = now_ + processors_[processor].pace.start_ns};
  const std::span<Slot> all = slots_of(processor);
  const auto older = [](const Slot& a, const Slot& b) { return a.rank < b.rank; };
  if (!std::ranges::is_sorted(all, older)) {
    std::ranges::sort(all, older);
    for (size_t i = 0; i < all.size(); ++i) places_[all[i].number] = processor * slots_each_ + static_cast<uint32_t>(i);
  }
  if (touched_[processor] == 0) unsettled_.push_back(processor);
  touched_[processor] = 1;
}

/// By how much latencies exceed what is hidden, on average over their tail, if the typical one exceeds it by `ns`.
double ResidentBlocks::excess_of(double ns) const {
  const double tail = pace_.latency_tail_ns;
  if (tail <= 0 || ns > 20 * tail) return std::max(ns, 0.0);
  return tail * std::log1p(std::exp(ns / tail));
}

/// A step waits for the latency that its copies in flight do not hide, and a turn for the bytes that device memory has
/// yet to deliver.
double ResidentBlocks::wait_for(uint64_t missed_bytes, uint64_t bytes) {
  if (missed_bytes == 0) return 0;
  double queued = 0;
  if (pace_.device_bytes_per_ns > 0) {
    device_free_ = std::max(device_free_, now_) + static_cast<double>(missed_bytes) / pace_.device_bytes_per_ns;
    queued = device_free_ - now_;
  }
  double wait = pace_.miss_ns;
  if (pace_.steps_in_flight > 0) {
    const double in_flight = pace_.steps_in_flight;
    wait = excess_of(pace_.hit_ns + pace_.miss_ns - in_flight * hidden_ns_) / in_flight;
  }
  // A step waits for the last of its data, so if half of the bytes miss it waits as long as if all did.
  const double share = std::min(1.0, 2 * static_cast<double>(missed_bytes) / static_cast<double>(bytes));
  return std::max(share * turn_steps_ * wait, queued - turn_steps_ * hidden_ns_);
}

double ResidentBlocks::work(uint32_t slot, uint64_t missed_bytes, uint64_t bytes, double arrival_ns) {
  Slot& one = slots_[places_[slot]];
  one.left = 1;
  one.until = std::max(now_ + wait_for(missed_bytes, bytes), arrival_ns);
  one.state = one.until > now_ ? State::waits : State::works;
  return one.until;
}

std::span<const uint32_t> ResidentBlocks::next() {
  for (const uint32_t processor : unsettled_) {
    share(processor);
    touched_[processor] = 0;
  }
  unsettled_.clear();
  due_.clear();
  while (events_.event().time() != kNever) {
    const uint32_t processor = events_.event().processor;
    now_ = events_.event().time();
    advance(processor, now_);
    if (!due_.empty()) {
      touched_[processor] = 1;
      unsettled_.push_back(processor);
      break;
    }
    share(processor);  // a block that waited now works
  }
  return due_;
}

void ResidentBlocks::advance(uint32_t processor, double time) {
  const double passed = time - processors_[processor].time;
  processors_[processor].time = time;
  for (Slot& one : slots_of(processor)) {
    if (one.state == State::works) one.left -= one.rate * passed;
    if (one.state == State::waits && one.until <= time) one.state = State::works;
    if (one.state == State::works && one.left <= kDone) {
      one.state = State::due;
      due_.push_back(one.number);
    }
  }
}

/// Computes the speed of each of an SM's blocks from now on, and when it changes next.
void ResidentBlocks::share(uint32_t processor) {
  Processor& where = processors_[processor];
  where.time = now_;
  working_.clear();
  double next = kNever;
  uint32_t rank = std::numeric_limits<uint32_t>::max();
  for (Slot& one : slots_of(processor)) {
    if (one.state == State::works) working_.push_back(&one);
    if (one.state != State::waits || one.until > next) continue;
    next = one.until;
    rank = one.rank;
  }
  const auto working = static_cast<double>(working_.size());
  const double equal = working_.empty() ? 0 : std::min(where.pace.most_rate, where.pace.full_rate / working);
  const double step = working > 1 ? 2 / (working - 1) : 0;
  double age = working > 1 ? 1 : 0;  // from 1 for the oldest to -1 for the youngest
  for (Slot* one : working_) {
    one->rate = equal * (1 + where.pace.lead * age);
    age -= step;
    const double end = now_ + one->left / one->rate;
    if (end > next || (end == next && one->rank > rank)) continue;
    next = end;
    rank = one->rank;
  }
  events_.put({std::bit_cast<uint64_t>(next), rank, processor});
}

}  // namespace tilescope
