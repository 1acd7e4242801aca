// The timed part of a benchmark: implementations of one operation at one size, interleaved so that clock drift and load
// from other processes affect all of them equally.
//
// Rounds run A B C … C B A, then a different order forwards and backwards, and so on: at its power limit a chip is
// faster after an implementation that draws little power, so no implementation may always run after the same one. Each
// implementation takes a few samples per turn. Nothing else runs on the GPU meanwhile: a turn ends when its last sample
// has finished.
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
  double estimate_ms = 0;  // GPU time of one sample, used to divide the available time
  TimingMethod method;     // how its samples are taken

  std::vector<double> samples;
  std::vector<double> rested;    // samples of `burst`
  std::vector<uint32_t> clocks;  // SM clock after each turn, MHz; empty where unknown
  std::string dropped;           // why it was dropped; its samples do not count
  std::string note;              // what runs, as a note on the points
};

/// Reads the SM clock; 0 where unknown.
using ClockReading = std::function<uint32_t()>;

/// Keeps the GPU busy with `work` until the SM clock is stable. False if it is not stable within three seconds, or
/// cannot be read.
Result<bool> settle_clocks(const std::function<Result<void>()>& work, const ClockReading& clock, std::stop_token stop);

struct RaceTime {
  double seconds = 0;            // for all turns together
  bool clock_is_capped = false;  // by power or heat: see race
};

/// Fills samples and clocks. A contestant that would take far more than its share of the time still gives six samples.
/// An error of an `optional` contestant drops it; other errors end the race. Cancelled between turns.
///
/// Where power or heat caps the clock, a chip takes about 100 ms to settle at the clock that it can sustain for the
/// current work. In this case turns are few and long, however short the requested time, and the first 100 ms of each do
/// not count: each implementation is timed at the clock it sustains on its own.
Result<void> race(std::vector<Contestant>& contestants, const RaceTime& time,
                  const std::function<bool(size_t)>& optional, const ClockReading& clock,
                  const std::function<void(double)>& progress, std::stop_token stop);

/// Fills `rested`: a few samples of each contestant right after the GPU has been idle for `rest`, in two rounds, one
/// forwards and one backwards. Under sustained load the chip may reach its power limit and slow down; a program that
/// computes only now and then does not see that. Contestants more than four times slower than the fastest are left out.
/// Errors as in race.
Result<void> burst(std::vector<Contestant>& contestants, std::chrono::milliseconds rest,
                   const std::function<bool(size_t)>& optional, std::stop_token stop);

}  // namespace tilescope
