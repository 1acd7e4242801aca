// The timed part of a benchmark: implementations of one operation at one size, interleaved so that a drift of the
// clocks or of a neighbour's load meets all of them alike.
//
// Rounds run A B C … C B A, then in another order there and back, and so on: at its power limit a chip is faster after
// an implementation that uses little, so nobody may always come after the same one. In its turn an implementation gives
// a few samples. Nothing else has work on the GPU meanwhile: a turn ends when its last sample has.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "engine/executor.hpp"
#include "engine/gpu/timing_method.hpp"
#include "engine/result.hpp"

namespace tilescope {

struct Contestant {
  size_t series = 0;  // index into SpeedReport::series
  /// Takes `count` samples, in milliseconds per execution.
  std::function<Result<std::vector<double>>(int count)> take;
  double estimate_ms = 0;  // of what one sample occupies the GPU for, to share out the time
  TimingMethod method;     // of its samples

  std::vector<double> samples;
  std::vector<double> rested;    // samples of `burst`
  std::vector<uint32_t> clocks;  // SM clock after each turn, MHz; empty where unknown
  std::string dropped;           // why it could not go on; its samples do not count
  std::string note;              // of what runs, for the points
};

/// Reads the SM clock; 0 where unknown.
using ClockReading = std::function<uint32_t()>;

/// Keeps the GPU busy with `work` until the SM clock stands still. False where it never did within three seconds, or
/// cannot be read.
Result<bool> settle_clocks(const std::function<Result<void>()>& work, const ClockReading& clock, std::stop_token stop);

struct RaceTime {
  double seconds = 0;            // of all turns together
  bool clock_is_capped = false;  // by power or heat: see race
};

/// Fills samples and clocks. One that would take far more than its share of the time still gives six. Errors of an
/// implementation that is `optional` drop it; others end the race. Cancelled between turns.
///
/// Where the clock is capped, a chip takes about a tenth of a second to settle on what it can keep up with the work at
/// hand. There turns are few and long, however few seconds were asked for, and the first 100 ms of each do not count:
/// everybody is timed at the clock that he himself leaves the chip.
Result<void> race(std::vector<Contestant>& contestants, const RaceTime& time,
                  const std::function<bool(size_t)>& optional, const ClockReading& clock,
                  const std::function<void(double)>& progress, std::stop_token stop);

/// Fills `rested`: a few samples of each right after the GPU has had nothing to do for `rest`, twice, there and back.
/// Under load the chip may reach its power limit and slow down; a program that computes now and then does not see that.
/// Those more than four times slower than the fastest are left out. Errors as in race.
Result<void> burst(std::vector<Contestant>& contestants, std::chrono::milliseconds rest,
                   const std::function<bool(size_t)>& optional, std::stop_token stop);

}  // namespace tilescope
