#include "engine/traffic/resident_blocks.hpp"

#include <algorithm>
#include <limits>
#include <random>

namespace tilescope {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kDone = 1e-9;  // of a turn that is left

/// Draws from a distribution that is close to normal; the same on every host.
std::vector<double> normal_draws(uint32_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<double> draws;
  for (uint32_t i = 0; i < count; ++i) {
    double sum = -6;
    for (int part = 0; part < 12; ++part) sum += static_cast<double>(random()) / 4294967296.0;
    draws.push_back(sum);
  }
  return draws;
}

}  // namespace

ResidentBlocks::ResidentBlocks(const GridPace& pace, uint32_t steps_of_turn, uint32_t multiprocessors, uint32_t slots)
    : pace_(pace),
      turn_steps_(steps_of_turn),
      multiprocessors_(multiprocessors),
      slots_(slots),
      processors_(multiprocessors),
      touched_(multiprocessors, 0) {
  constexpr double kShortest = 0.05;
  const std::vector<double> starts = normal_draws(multiprocessors, 1), paces = normal_draws(multiprocessors, 2);
  const double earliest = *std::ranges::min_element(starts);
  for (uint32_t i = 0; i < multiprocessors; ++i) {
    processors_[i].start_ns = pace.start_ns + pace.start_spread_ns * (starts[i] - earliest);
    processors_[i].pace = std::max(kShortest, 1 + pace.pace_spread * paces[i]);
  }
}

void ResidentBlocks::seat(uint32_t slot, uint32_t rank) {
  const uint32_t processor = slot % multiprocessors_;
  slots_[slot] = {.state = State::waits, .rank = rank, .until = now_ + processors_[processor].start_ns};
  if (touched_[processor] == 0) unsettled_.push_back(processor);
  touched_[processor] = 1;
}

/// A step waits only for what its copies in flight do not hide, and behind all that device memory has yet to give.
double ResidentBlocks::wait_for(uint64_t missed_bytes, uint64_t bytes) {
  if (missed_bytes == 0) return 0;
  double queued = 0;
  if (pace_.device_bytes_per_ns > 0) {
    device_free_ = std::max(device_free_, now_) + static_cast<double>(missed_bytes) / pace_.device_bytes_per_ns;
    queued = device_free_ - now_;
  }
  const double latency = pace_.hit_ns + pace_.miss_ns + queued;
  const double wait = pace_.steps_in_flight == 0
                          ? pace_.miss_ns + queued
                          : std::max(0.0, latency / pace_.steps_in_flight - std::max(pace_.alone_ns, pace_.busy_ns));
  // A step waits for the last of its data, so half of the bytes make it wait as all do.
  const double share = std::min(1.0, 2 * static_cast<double>(missed_bytes) / static_cast<double>(bytes));
  return share * turn_steps_ * wait;
}

void ResidentBlocks::work(uint32_t slot, uint64_t missed_bytes, uint64_t bytes) {
  Slot& one = slots_[slot];
  one.left = 1;
  const double wait = wait_for(missed_bytes, bytes);
  one.state = wait > 0 ? State::waits : State::works;
  one.until = now_ + wait;
}

std::span<const uint32_t> ResidentBlocks::next() {
  for (const uint32_t processor : unsettled_) {
    share(processor);
    touched_[processor] = 0;
  }
  unsettled_.clear();
  due_.clear();
  while (!events_.empty()) {
    const Event event = events_.top();
    events_.pop();
    if (event.time != processors_[event.processor].next_time) continue;  // it has changed since
    now_ = event.time;
    advance(event.processor, event.time);
    if (!due_.empty()) {
      touched_[event.processor] = 1;
      unsettled_.push_back(event.processor);
      break;
    }
    share(event.processor);  // one that waited works on
  }
  return due_;
}

void ResidentBlocks::advance(uint32_t processor, double time) {
  const double passed = time - processors_[processor].time;
  processors_[processor].time = time;
  for (uint32_t slot = processor; slot < slots_.size(); slot += multiprocessors_) {
    Slot& one = slots_[slot];
    if (one.state == State::works) one.left -= one.rate * passed;
    if (one.state == State::waits && one.until <= time) one.state = State::works;
    if (one.state == State::works && one.left <= kDone) {
      one.state = State::due;
      due_.push_back(slot);
    }
  }
  if (due_.size() > 1) std::ranges::sort(due_, {}, [this](uint32_t slot) { return slots_[slot].rank; });
}

/// How fast each of a multiprocessor's blocks works from now on, and when that changes.
void ResidentBlocks::share(uint32_t processor) {
  Processor& where = processors_[processor];
  where.time = now_;
  working_.clear();
  double next = kNever;
  uint32_t rank = std::numeric_limits<uint32_t>::max();
  for (uint32_t slot = processor; slot < slots_.size(); slot += multiprocessors_) {
    if (slots_[slot].state == State::works) working_.push_back(slot);
    if (slots_[slot].state != State::waits || slots_[slot].until > next) continue;
    next = slots_[slot].until;
    rank = slots_[slot].rank;
  }
  if (working_.size() > 1) std::ranges::sort(working_, {}, [this](uint32_t slot) { return slots_[slot].rank; });
  double left = 1 / (pace_.busy_ns * turn_steps_ * where.pace);
  const double most = std::min(left, 1 / (std::max(pace_.alone_ns, pace_.busy_ns) * turn_steps_ * where.pace));
  const double equal = working_.empty() ? 0 : std::min(most, left / static_cast<double>(working_.size()));
  for (const uint32_t slot : working_) {
    const double first = std::min(most, left);
    left -= first;
    slots_[slot].rate = pace_.precedence * first + (1 - pace_.precedence) * equal;
    const double end = now_ + slots_[slot].left / slots_[slot].rate;
    if (end > next || (end == next && slots_[slot].rank > rank)) continue;
    next = end;
    rank = slots_[slot].rank;
  }
  where.next_time = next;
  if (next != kNever) events_.push({next, rank, processor});
}

}  // namespace tilescope
