// What fusing saves: the launches of two rungs that compute the same, what each reads and writes, and the time that
// this predicts.
//
//   counted   bytes that the lanes ask for, launch by launch, on the simulator. SIMULATED
//   scaled    at a size that is too large to simulate: how often a launch passes over a buffer was counted at fewer
//             elements of the size that the sweep varies, and is the same at more of them. MODELLED
//   predicted launches · what one costs + bytes / bandwidth of the modelled GPU. MODELLED. It takes every byte to come
//             from device memory: vectors that stay in the L2 are faster than that.
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
  std::vector<LaunchBytes> launches;  // at FusionAccount::config
  std::vector<LaunchBytes> counted;   // at FusionAccount::simulated
  double read() const;
  double written() const;
};

/// What launches cost, in seconds, and on which GPU that was measured; zero where it is not known of any.
struct LaunchCost {
  double one_by_one = 0, in_graph = 0;
  std::string measured_on;  // "H200"
};
/// The GPU's own, else that of the usual one.
LaunchCost launch_cost_of(const GpuSpec& gpu, const std::vector<GpuSpec>& gpus);

struct FusionAccount {
  Config config;     // that was asked for
  Config simulated;  // at which it was counted
  std::string gpu;   // "H200"
  double bytes_per_second = 0;
  LaunchCost cost;
  FusionSide unfused, fused;

  bool scaled() const { return config != simulated; }
  Badge bytes_badge() const { return scaled() ? Badge::modelled : Badge::simulated; }
  /// Milliseconds, with launches at so many seconds each.
  double predicted_ms(const FusionSide& side, double launch_seconds) const;
};

/// The same with so few elements that counting takes a moment: only the size that the sweep varies is made smaller.
Config countable(const Lab& lab, Config config);

/// Error where the lab has no fusion to account for, or where a rung launches other kernels at the counted size.
Result<FusionAccount> account_fusion(Engine& engine, const Lab& lab, const Config& config, const std::string& gpu,
                                     std::stop_token stop = {});

}  // namespace tilescope
