#include <algorithm>

#include "engine/bench/measure.hpp"
#include "engine/bench/timing_point.hpp"
#include "engine/gpu/gpu_executor.hpp"

namespace tilescope {
namespace {

/// Whether another execution changes the buffers' contents, so that it must not run on the shown ones.
bool accumulates(const Plan& plan) {
  return std::any_of(plan.buffers.begin(), plan.buffers.end(),
                     [](const BufferSpec& buffer) { return buffer.role == Role::inout; });
}

}  // namespace

Result<TimingPoint> time_once(Engine& engine, const RunResult& run, std::stop_token stop) {
  if (!engine.gpu()) return forward(engine.gpu());
  auto* gpu = dynamic_cast<GpuExecutor*>(engine.gpu()->get());
  if (!gpu || run.device_buffers.empty()) return fail(ErrorId::no_gpu, "the run was not made on it");
  auto timing = gpu->time(run.compiled, run.plan.launches, run.device_buffers, accumulates(run.plan), stop);
  if (!timing) return forward(timing);
  const Lab* lab = lab_of(run.request);
  const bool counted = lab && lab->useful_bytes;
  TimingPoint point = make_point(timing->milliseconds, counted ? lab->useful_bytes(run.config) : 0, timing->method);
  if (lab) point.size = place_in_sweep(*lab, run.config);
  point.sm_clock_mhz = gpu->device().sm_clock_mhz;
  return point;
}

}  // namespace tilescope
