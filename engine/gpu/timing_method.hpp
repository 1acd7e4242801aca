// How device work is timed. Shared by the sweep of a benchmark and the short timing of a single run.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/gpu/timing.hpp"

namespace tilescope {

/// Single cold executions, or graphs of many over rotating buffers.
struct TimingMethod {
  int executions = 0;  // per graph; 0: cold
  int sets = 1;        // buffer sets that a graph rotates over
  bool cold() const { return executions == 0; }
};

/// Below 20 µs the overhead of an event would show, so the work is batched.
TimingMethod choose_timing(double estimate_ms, uint64_t l2_bytes, uint64_t set_bytes);

/// Takes samples, in milliseconds per execution. It refers to the timer, which must outlive it.
using Sampler = std::function<Result<std::vector<double>>(int count)>;
Result<Sampler> make_sampler(GpuTimer& timer, TimedWork work, const TimingMethod& method);

struct QuickTiming {
  std::vector<double> milliseconds;  // per execution
  TimingMethod method;
};
/// Times the launches with a few samples, in about 25 ms unless a single execution takes longer. With `spare_contents`
/// it runs on copies, because another execution would change the buffers' contents.
Result<QuickTiming> quick_timing(const CompiledModule& module, std::span<const Launch> launches,
                                 std::span<const std::shared_ptr<DeviceBuffer>> buffers, bool spare_contents);

}  // namespace tilescope
