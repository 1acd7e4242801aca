// What fusing saves: the launches of two rungs that compute the same, the bytes that each reads and writes, and the
// time predicted from these.
//
//   counted     bytes requested by the lanes, per launch, on the simulator. SIMULATED
//   scaled      for a size too large to simulate: the number of passes over each buffer is counted at a smaller value
//               of the size that the sweep varies, and is the same at the larger one. MODELLED
//   predicted   number of launches · cost of a launch + bytes / bandwidth of the modelled GPU. MODELLED. Assumes that
//               every byte comes from device memory; vectors that stay in the L2 are faster.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "engine/run/engine.hpp"

namespace tilescope {

struct LaunchBytes {
  std::string kernel;
  double read = 0, written = 0;
};

struct FusionSide {
  std::string rung;
  std::vector<LaunchBytes> launches;  // counts at FusionAccount::config
  std::vector<LaunchBytes> counted;   // counts at FusionAccount::simulated
  double read() const;
  double written() const;
};

/// Cost of a launch in seconds, and the GPU on which it was measured; zero if no GPU has a measured value.
struct LaunchCost {
  double one_by_one = 0, in_graph = 0;
  std::string measured_on;  // "H200"
};
/// The GPU's own cost if known, else the default GPU's.
LaunchCost launch_cost_of(const GpuSpec& gpu, const std::vector<GpuSpec>& gpus);

struct FusionAccount {
  Config config;     // the requested configuration
  Config simulated;  // the configuration at which the bytes were counted
  std::string gpu;   // "H200"
  double bytes_per_second = 0;
  LaunchCost cost;
  FusionSide unfused, fused;

  bool scaled() const { return config != simulated; }
  Badge bytes_badge() const { return scaled() ? Badge::modelled : Badge::simulated; }
  /// Milliseconds, if each launch costs `launch_seconds`.
  double predicted_ms(const FusionSide& side, double launch_seconds) const;
};

/// The configuration with the sweep's size reduced until counting takes only a moment; the other sizes are kept.
Config countable(const Lab& lab, Config config);

/// Error if the lab has no fusion to account for, or if a rung launches other kernels at the counted size.
Result<FusionAccount> account_fusion(Engine& engine, const Lab& lab, const Config& config, const std::string& gpu,
                                     std::stop_token stop = {});

}  // namespace tilescope
