// Timing on a GPU, and the sweep that makes a SpeedReport.
//
// Method: correctness before timing; warm-up; an L2 flush before every sample; implementations interleaved in one run,
// in changing orders, each at its own sustained clock where power or heat caps it; median with a 95% bootstrap
// interval; kernels under 20 µs as graph batches over rotated buffers (labelled as such: a run that moves less than
// about 1 MB may find its data in the L2); the SM clock read during the run.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/run/engine.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

struct Interval {
  double median = 0, low = 0, high = 0;
};
/// Median with a 95% bootstrap interval (deterministic resampling). Empty input gives zeros.
Interval bootstrap_median(std::span<const double> samples);

struct BenchRequest {
  std::string lab;
  Config config;                   // parameters; the sweep sets Lab::sweep_size
  std::vector<int64_t> sizes;      // empty: Lab::sweep
  std::vector<std::string> rungs;  // empty: all
  bool references = true;
  double seconds_per_size = 1.0;
  bool map = false;     // time the lab's scheme map: every scheme at every shape, each with the parameters tuned for
                        // that shape
  std::string command;  // kept in the report
};

/// Seconds per shape of a scheme map, which has many shapes.
constexpr double kMapSeconds = 0.5;

/// Called as points arrive, so that plots update during the sweep. The report is complete when bench returns.
using BenchProgress = std::function<void(const SpeedReport& so_far, double fraction)>;

/// Error if there is no GPU, or if a rung computes wrong results: a wrong rung is never timed.
Result<SpeedReport> bench(Engine& engine, const BenchRequest& request, std::stop_token stop,
                          const BenchProgress& progress);

/// A short timing of one rung, for RunResult::timing.
Result<TimingPoint> time_once(Engine& engine, const RunResult& run, std::stop_token stop);

}  // namespace tilescope
