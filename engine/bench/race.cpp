#include "engine/bench/race.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <numeric>
#include <random>
#include <thread>

namespace tilescope {
namespace {

constexpr double kFlushMs = 0.1;  // writing the flush buffer, with the gaps around it

/// Applies to all contestants.
struct Turns {
  int rounds = 12;
  double untimed_ms = 0, timed_ms = 0;
  double most_samples = 100;
};
Turns plan_turns(const RaceTime& time, size_t contestants) {
  constexpr double kSettling = 100, kLeastTimed = 200, kMostSamples = 400;
  Turns turns;
  if (time.clock_is_capped) turns = {.rounds = 4, .untimed_ms = kSettling, .most_samples = kMostSamples};
  turns.timed_ms = time.seconds * 1000 / static_cast<double>(contestants * static_cast<size_t>(turns.rounds));
  if (time.clock_is_capped) turns.timed_ms = std::max(turns.timed_ms, kLeastTimed);
  return turns;
}

/// What a contestant does in its turns. A slow one has only two turns, one forwards and one backwards.
struct Pace {
  int untimed = 0, samples = 2;
  bool slow = false;
  bool takes(int round) const { return !slow || round == 0 || round == 3; }
};

Pace pace_of(const Contestant& contestant, const Turns& turns) {
  const double sample_ms = contestant.estimate_ms + kFlushMs, fitting = turns.timed_ms / sample_ms;
  const int untimed = static_cast<int>(std::ceil(turns.untimed_ms / sample_ms));
  if (fitting >= 2) return {untimed, static_cast<int>(std::min(fitting, turns.most_samples)), false};
  if (fitting >= 0.25) return {untimed, 2, false};
  return {untimed, 3, true};
}

/// Adds `count` samples; an optional contestant that fails is dropped.
Result<void> take_turn(Contestant& contestant, int count, std::vector<double>& samples,
                       const std::function<bool(size_t)>& optional, const std::stop_token& stop) {
  if (stop.stop_requested()) return fail(ErrorId::cancelled);
  auto taken = contestant.take(count);
  if (taken) {
    samples.insert(samples.end(), taken->begin(), taken->end());
    return {};
  }
  if (taken.error().id == ErrorId::cancelled || !optional(contestant.series)) return forward(taken);
  contestant.dropped = taken.error().message;
  return {};
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
    if (auto ok = work(); !ok) return forward(ok);
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

Result<void> race(std::vector<Contestant>& contestants, const RaceTime& time,
                  const std::function<bool(size_t)>& optional, const ClockReading& clock,
                  const std::function<void(double)>& progress, std::stop_token stop) {
  const Turns turns = plan_turns(time, contestants.size());
  std::vector<size_t> order(contestants.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::mt19937 shuffled;  // fixed seed: every run has the same orders
  for (int round = 0; round < turns.rounds; ++round) {
    if (round > 0 && round % 2 == 0) std::shuffle(order.begin(), order.end(), shuffled);
    for (size_t index : order) {
      Contestant& contestant = contestants[index];
      const Pace pace = pace_of(contestant, turns);
      if (!contestant.dropped.empty() || !pace.takes(round)) continue;
      std::vector<double> not_kept;
      if (pace.untimed > 0)
        if (auto taken = take_turn(contestant, pace.untimed, not_kept, optional, stop); !taken) return taken;
      if (!contestant.dropped.empty()) continue;
      if (auto taken = take_turn(contestant, pace.samples, contestant.samples, optional, stop); !taken) return taken;
      if (!contestant.dropped.empty()) continue;
      if (const uint32_t reading = clock(); reading != 0) contestant.clocks.push_back(reading);
    }
    std::reverse(order.begin(), order.end());
    progress(static_cast<double>(round + 1) / turns.rounds);
  }
  return {};
}

Result<void> burst(std::vector<Contestant>& contestants, std::chrono::milliseconds rest,
                   const std::function<bool(size_t)>& optional, std::stop_token stop) {
  constexpr double kBurstMs = 8, kSlower = 4;
  double fastest = HUGE_VAL;
  for (const Contestant& contestant : contestants)
    if (contestant.dropped.empty()) fastest = std::min(fastest, contestant.estimate_ms);
  std::vector<size_t> order;
  for (size_t i = 0; i < contestants.size(); ++i)
    if (contestants[i].dropped.empty() && contestants[i].estimate_ms <= kSlower * fastest) order.push_back(i);
  for (int round = 0; round < 2; ++round, std::reverse(order.begin(), order.end()))
    for (size_t index : order) {
      Contestant& contestant = contestants[index];
      if (!contestant.dropped.empty()) continue;
      std::this_thread::sleep_for(rest);
      const double fitting = kBurstMs / (contestant.estimate_ms + kFlushMs);
      const int count = static_cast<int>(std::clamp(fitting, 2.0, 10.0));
      if (auto taken = take_turn(contestant, count, contestant.rested, optional, stop); !taken) return taken;
    }
  return {};
}

}  // namespace tilescope
