// A report over the shapes of rmsnorm's map, with made-up times, so that the winner is known. Never shipped.
#pragma once

#include <cmath>

#include "engine/lab.hpp"
#include "engine/run_result.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {

inline TimingPoint made_up_time(int64_t place, double milliseconds) {
  return {.size = place,
          .median_ms = milliseconds,
          .low_ms = 0.99 * milliseconds,
          .high_ms = 1.01 * milliseconds,
          .samples = 24,
          .useful_bytes = static_cast<uint64_t>(std::llround(1e6 * milliseconds)),  // 1 GB/s
          .cold_l2 = true,
          .sm_clock_mhz = 1980,
          .params = {{"BLOCK", 128}}};
}

/// Short rows: scheme 4 takes half the others' time. Rows of 16,384: scheme 2 and scheme 1 tie. Longer rows: scheme 3
/// with flags wins by a fifth.
inline SpeedReport make_map_report(const Lab& lab) {
  SpeedReport report;
  report.is_map = true;
  report.lab = lab.name;
  report.gpu = "NVIDIA H200";
  report.driver_version = "580";
  report.tilescope_version = "0.1.0";
  report.date = "2026-11-20T10:00:00Z";
  report.cuda_version = 13000;
  report.sm_clock_min_mhz = report.sm_clock_max_mhz = 1980;
  report.command = "made up by a test";
  report.size_name = "rows × columns";
  report.bytes_formula = "bytes";
  report.shapes = map_points(lab);
  report.config = default_config(lab, DeviceKind::gpu);
  for (const SchemeMap::Scheme& scheme : lab.scheme_map->schemes)
    report.series.push_back({.name = scheme.rung, .is_rung = true, .unavailable = {}, .points = {}});
  for (size_t i = 0; i < report.shapes.size(); ++i) {
    const int64_t columns = report.shapes[i].sizes.at("columns");
    for (TimingSeries& series : report.series) {
      double milliseconds = 1;
      if (columns < 16384 && series.name == "scheme-4") milliseconds = 0.5;
      if (columns == 16384 && (series.name == "scheme-1" || series.name == "scheme-2")) milliseconds = 0.8;
      if (columns > 16384 && series.name == "scheme-3-flags") milliseconds = 1 / 1.2;
      series.points.push_back(made_up_time(static_cast<int64_t>(i) + 1, milliseconds));
    }
  }
  return report;
}

}  // namespace tilescope::testing
