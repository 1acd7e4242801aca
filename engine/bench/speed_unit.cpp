#include "engine/bench/speed_unit.hpp"

namespace tilescope {
namespace {

bool counts_operations(const Lab& lab) { return lab.speed_unit == SpeedUnit::teraflops && lab.flops; }

}  // namespace

const char* speed_unit_of(const Lab& lab) { return counts_operations(lab) ? "TFLOP/s" : "GB/s"; }

double teraflops(const Lab& lab, const Config& config, double milliseconds) {
  return milliseconds > 0 && lab.flops ? lab.flops(config) / (milliseconds * 1e9) : 0;
}

double speed_of(const Lab& lab, const Config& config, const TimingPoint& point) {
  if (!counts_operations(lab)) return point.gigabytes_per_second;
  return teraflops(lab, sweep_config(lab, config, point.size), point.median_ms);
}

double speed_of_run(const Lab& lab, const RunResult& run) {
  if (!run.timing) return 0;
  if (!counts_operations(lab)) return run.timing->gigabytes_per_second;
  return teraflops(lab, run.request.config, run.timing->median_ms);
}

}  // namespace tilescope
