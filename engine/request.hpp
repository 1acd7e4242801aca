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
  bool observe = true;                       // simulate for traffic, tile map and findings (also beside a GPU run)
  bool model_order = false;                  // run the block-order model even if no lab asks for it
  bool time = false;                         // GPU: a short timing of this rung
  std::optional<std::string> edited_source;  // replaces the lab's file
  std::shared_ptr<const Lab> own_lab;        // a lab that is not in the registry: that of a user's own file
  /// Index into Plan::launches of the launch to show, if there are several. If empty or out of range: the launch of the
  /// first finding, or the default one (Rung::shown_kernels).
  std::optional<uint32_t> launch;
  bool operator==(const Request&) const = default;
};
/// The requested lab; null if there is none of that name.
inline const Lab* lab_of(const Request& request) {
  return request.own_lab ? request.own_lab.get() : find_lab(request.lab);
}

}  // namespace tilescope
