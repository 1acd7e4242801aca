#include "engine/bench/speed_unit.hpp"

#include <utility>

namespace tilescope {
namespace {

bool counts_operations(const Lab& lab) { return lab.speed_unit == SpeedUnit::teraflops && lab.flops; }

}  // namespace

const char* speed_unit_of(const Lab& lab) { return counts_operations(lab) ? "TFLOP/s" : "GB/s"; }

double teraflops(const Lab& lab, const Config& config, double milliseconds) {
  return milliseconds > 0 && lab.flops ? lab.flops(config) / (milliseconds * 1e9) : 0;
}

double speed_of(const Lab& lab, const SpeedReport& report, const TimingPoint& point) {
  if (!counts_operations(lab)) return point.gigabytes_per_second();
  Config config = report.config;
  const auto shape = static_cast<size_t>(point.size) - 1;
  if (report.shapes.empty())
    config = sweep_config(lab, std::move(config), point.size);
  else if (shape < report.shapes.size())
    for (const auto& [name, value] : report.shapes[shape].sizes) config.sizes[name] = value;
  return teraflops(lab, config, point.median_ms);
}

double speed_of_run(const Lab& lab, const RunResult& run) {
  if (!run.timing) return 0;
  if (!counts_operations(lab)) return run.timing->gigabytes_per_second();
  return teraflops(lab, run.config, run.timing->median_ms);
}

}  // namespace tilescope
