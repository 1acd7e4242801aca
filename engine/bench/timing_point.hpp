// How a piece of device work is timed, and the point of a plot that its samples make. Shared by the sweep and by the
// short timing of a single run.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/gpu/timing.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// Single cold executions, or graphs of many over rotated buffers.
struct Method {
  int executions = 0;  // of one graph; 0: cold
  int sets = 1;        // that a graph rotates over
  bool cold() const { return executions == 0; }
};

/// Below 20 µs an event's own cost would show, so such work is batched.
Method choose_timing(double estimate_ms, uint64_t l2_bytes, uint64_t set_bytes);

/// A function that takes samples, in milliseconds per execution. It refers to the timer.
using Sampler = std::function<Result<std::vector<double>>(int count)>;
Result<Sampler> make_sampler(GpuTimer& timer, TimedWork work, const Method& method);

/// Median, interval and rate; size and clock are for the caller to fill.
TimingPoint make_point(std::span<const double> samples, double useful_bytes, const Method& method);

}  // namespace tilescope
