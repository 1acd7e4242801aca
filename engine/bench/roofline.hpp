// The roofline of a GPU, and where the rungs of a lab stand under it.
//
//   intensity    operations for each byte of device memory. The bytes are those that a model of the caches or of the
//                blocks' order counted where a run is known (MODELLED), else the useful ones, of which no
//                implementation can move less
//   attainable   the roof above an intensity: bandwidth times it, or the peak rate of the units that the rung uses
//
// A point that was not timed is attainable and nothing more.
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
  std::vector<PeakRate> rates;  // of the same height
  double flops_per_second = 0;
};

struct RooflinePoint {
  std::string name;  // a rung's, or the reference's
  bool is_rung = true;
  bool counted = false;  // bytes of device memory; false: useful bytes
  double bytes = 0, intensity = 0;
  PeakRate rate = PeakRate::fp32;
  double attainable = 0;              // operations per second
  const TimingPoint* time = nullptr;  // of the report, which must stay; null: not timed
  double flops_per_second = 0;        // where it was timed
};

struct Roofline {
  std::string gpu;  // "H200"
  double bytes_per_second = 0;
  std::vector<Roof> roofs;  // ascending
  Config config;            // whose points these are
  double flops = 0;
  std::vector<RooflinePoint> points;  // rungs in the lab's order, then references that were timed
};

/// Bytes of device memory by rung, as they are known of one configuration.
using CountedBytes = std::map<std::string, double>;
/// Those of a finished run: read, written, and still in the L2 at its end; nothing where no model has them.
std::optional<double> device_bytes_of(const RunResult& result);

/// Whether it computes at all: a transpose does not.
bool has_roofline(const Lab& lab);
/// The roofs of the GPU: fp32 and narrower, equal ones as one; fp64 only where a rung of the lab uses it.
std::vector<Roof> roofs_of(const GpuSpec& gpu, const std::vector<PeakRate>& used);
/// At one configuration. A report of another GPU, or without this size, gives no times. Null: none.
Roofline make_roofline(const Lab& lab, const Config& config, const GpuSpec& gpu, const SpeedReport* report,
                       const CountedBytes& counted);

}  // namespace tilescope
