#include "engine/sim/isa/aligned_warp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace tilescope {

bool goes_on_without_lanes(Warp& warp, const Operation* operation, uint32_t mask) {
  const uint64_t own = warp.rank_of(operation);
  const auto is_behind = [&](const Warp::Path& path) { return path.rank < own; };
  if (mask == warp.active && std::any_of(warp.paths.begin(), warp.paths.begin() + warp.path_count, is_behind)) {
    ++warp.hidden;
    return false;
  }
  const auto index = static_cast<uint32_t>(operation - warp.code);
  Findings& findings = warp.machine->findings();
  findings.report(warp, index, static_cast<uint32_t>(std::countr_zero(mask)), 1, "divergent-warp-instruction",
                  phrase("{} is executed by {} of a warp's 32 lanes, and needs all of them together",
                         findings.name_of_operation(operation), std::popcount(mask)),
                  nullptr, 0);
  return true;
}

}  // namespace tilescope
