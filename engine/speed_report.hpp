// Times of rungs and references over sizes: a sweep of this machine, or a recording.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/lab.hpp"
#include "engine/types.hpp"

namespace tilescope {

/// One timed implementation at one size. MEASURED, or RECORDED if it was read from a recording.
struct TimingPoint {
  int64_t size = 0;                               // value of Lab::sweep_size
  double median_ms = 0, low_ms = 0, high_ms = 0;  // 95% bootstrap interval of the median
  double burst_ms = 0;  // median of the first samples after a rest, before power limits the clock; 0: not measured
  uint32_t samples = 0;
  uint64_t useful_bytes = 0;  // that one run must read and write
  bool cold_l2 = true;        // L2 flushed before every sample; false: graph batch over rotated buffers
  uint32_t sm_clock_mhz = 0;
  std::string note = {};                       // what a library chose to run here, with its own numbers
  std::map<std::string, int64_t> params = {};  // for a scheme map: those that differ from the report's
  double gigabytes_per_second() const {
    return median_ms > 0 ? static_cast<double>(useful_bytes) / (median_ms * 1e6) : 0;
  }
};
struct TimingSeries {
  std::string name;  // rung name, or the reference's name
  bool is_rung = true;
  std::string unavailable;                   // the reason, if there are no points
  std::vector<TimingPoint> points;           // ascending size
  std::map<int64_t, std::string> gaps = {};  // why sizes after the first point are missing
  /// A reference in Python: microseconds of the caller's time for one call, by size. What the GPU takes is not in it.
  std::map<int64_t, double> host_us = {};
};

/// A sweep: every rung and reference of a lab over its sizes; or a scheme map: rungs over a grid of shapes. The
/// recording format of assets/recordings.
struct SpeedReport {
  static constexpr int kFormat = 3, kMapFormat = 4;  // for a sweep; for a map
  bool is_map = false;
  std::string lab;
  std::string gpu, driver_version, tilescope_version, date;  // date: ISO 8601, UTC
  int cuda_version = 0;
  std::string nvrtc_version, torch_version, triton_version;  // empty where absent
  uint32_t sm_clock_min_mhz = 0, sm_clock_max_mhz = 0, memory_clock_mhz = 0;
  std::string clock_state;  // "sustained" or "burst"
  std::string command;      // the command that wrote it
  std::string size_name;    // "n"; for a sweep over shapes "rows × columns", and a point's size is the number of a
                            // shape, from 1
  std::vector<SweepPoint> shapes;  // for a sweep over shapes
  std::string bytes_formula;
  Config config;  // parameters of the rungs
  std::vector<TimingSeries> series;
  Badge badge = Badge::measured;  // recorded if read from a file
};

}  // namespace tilescope
