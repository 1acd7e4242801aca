// The request for a run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/lab.hpp"

namespace tilescope {

/// A requested run. The same request gives the same bytes.
struct Request {
  std::string lab, rung;
  Config config;
  std::vector<std::string> broken;  // names of BreakIt switches that are on
  DeviceKind device = DeviceKind::sim;
  /// The modelled GPU, an id of assets/gpus.toml; empty: this machine's GPU if the table has it, else an H200.
  std::string gpu;
  uint64_t seed = 1;
  bool observe = true;        // simulate for traffic, tile map and findings (also beside a GPU run)
  bool tell_findings = true;  // false: the checks run, and the result does not say what they found
  bool model_order = false;   // the block-order model too, also where no lab asks for it
  bool time = false;          // GPU: a short timing of this rung
  /// False: a run on the simulator makes no machine code unless the execution depends on it. Compiling then takes less
  /// than half the time, and the result has no registers, occupancy, waves or caches.
  bool machine_code = true;
  std::optional<std::string> edited_source;  // instead of the lab's file
  std::shared_ptr<const Lab> own_lab;        // a lab that is in no registry: that of a user's own file
  /// The launch that is shown if there are several: an index into Plan::launches. Nothing, or one that the run does not
  /// have: that of the first finding, or the usual one (Rung::shown_kernels).
  std::optional<uint32_t> launch;
  bool operator==(const Request&) const = default;
};
/// The requested lab; null if there is none of that name.
inline const Lab* lab_of(const Request& request) {
  return request.own_lab ? request.own_lab.get() : find_lab(request.lab);
}

}  // namespace tilescope
