#include "engine/bench/race.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <numeric>

namespace tilescope {
namespace {

constexpr int kRounds = 12;
constexpr double kFlushMs = 0.1;  // writing the flush buffer, with the gaps around it

int samples_per_turn(const Contestant& contestant, size_t contestants, double seconds) {
  const double turn_ms = seconds * 1000 / (static_cast<double>(contestants) * kRounds);
  return static_cast<int>(std::clamp(turn_ms / (contestant.estimate_ms + kFlushMs), 2.0, 100.0));
}

}  // namespace

Result<bool> settle_clocks(const std::function<Result<void>()>& work, const ClockReading& clock, std::stop_token stop) {
  using Clock = std::chrono::steady_clock;
  using std::chrono::milliseconds;
  const auto begin = Clock::now();
  std::deque<uint32_t> readings;
  auto next_reading = begin + milliseconds(50);
  while (Clock::now() - begin < milliseconds(3000)) {
    if (stop.stop_requested()) return fail(ErrorId::cancelled);
    if (auto ok = work(); !ok) return tl::unexpected(ok.error());
    if (Clock::now() < next_reading) continue;
    next_reading = Clock::now() + milliseconds(50);
    readings.push_back(clock());
    if (readings.back() == 0) return false;
    if (readings.size() > 6) readings.pop_front();
    const auto [low, high] = std::minmax_element(readings.begin(), readings.end());
    if (readings.size() == 6 && *high - *low <= 15) return true;  // one step of the clock
  }
  return false;
}

Result<void> race(std::vector<Contestant>& contestants, double seconds, const std::function<bool(size_t)>& optional,
                  const ClockReading& clock, const std::function<void(double)>& progress, std::stop_token stop) {
  std::vector<size_t> order(contestants.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (int round = 0; round < kRounds; ++round) {
    for (size_t index : order) {
      Contestant& contestant = contestants[index];
      if (!contestant.dropped.empty()) continue;
      if (stop.stop_requested()) return fail(ErrorId::cancelled);
      auto taken = contestant.take(samples_per_turn(contestant, contestants.size(), seconds));
      if (!taken) {
        if (taken.error().id == ErrorId::cancelled || !optional(contestant.series)) {
          return tl::unexpected(taken.error());
        }
        contestant.dropped = taken.error().message;
        continue;
      }
      contestant.samples.insert(contestant.samples.end(), taken->begin(), taken->end());
      if (const uint32_t reading = clock(); reading != 0) contestant.clocks.push_back(reading);
    }
    std::reverse(order.begin(), order.end());
    progress(static_cast<double>(round + 1) / kRounds);
  }
  return {};
}

}  // namespace tilescope
