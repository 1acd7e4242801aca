// The roofline of a GPU, and the position of a lab's rungs under it.
//
//   intensity    operations per byte of device memory. If a run is known, the bytes are those that a model of the
//                caches or of the block order counted (MODELLED); otherwise the useful bytes, the minimum that any
//                implementation must move
//   attainable   the roof at an intensity: bandwidth · intensity, or the peak rate of the units that the rung uses
//
// A point without a time has only an attainable rate.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/lab.hpp"
#include "engine/run_result.hpp"
#include "engine/specs.hpp"

namespace tilescope {

struct Roof {
  std::vector<PeakRate> rates;  // peak rates that share this height
  double flops_per_second = 0;
};

struct RooflinePoint {
  std::string name;  // a rung or a reference
  bool is_rung = true;
  bool counted = false;  // `bytes` are device memory traffic; false: useful bytes
  double bytes = 0, intensity = 0;
  PeakRate rate = PeakRate::fp32;
  double attainable = 0;              // operations per second
  const TimingPoint* time = nullptr;  // points into the report, which must outlive this; null: not timed
  double flops_per_second = 0;        // if it was timed
};

struct Roofline {
  std::string gpu;  // "H200"
  double bytes_per_second = 0;
  std::vector<Roof> roofs;  // ascending
  Config config;            // the configuration of the points
  double flops = 0;
  std::vector<RooflinePoint> points;  // rungs in the lab's order, then timed references
};

/// Device memory bytes by rung, as far as they are known for one configuration.
using CountedBytes = std::map<std::string, double>;
/// The device bytes of a finished run: read, written, and still dirty in the L2 at its end. Nothing if no model counted
/// them.
std::optional<double> device_bytes_of(const RunResult& result);

/// Whether the lab counts operations at all: a transpose computes nothing.
bool has_roofline(const Lab& lab);
/// The roofs of the GPU, equal ones merged: fp32 and narrower types, and fp64 only if a rung of the lab uses it.
std::vector<Roof> roofs_of(const GpuSpec& gpu, const std::vector<PeakRate>& used);
/// The roofline at one configuration. A null report, one of a different GPU or one without this size gives no times.
Roofline make_roofline(const Lab& lab, const Config& config, const GpuSpec& gpu, const SpeedReport* report,
                       const CountedBytes& counted);

}  // namespace tilescope
