// What the functions of the run time (isa/execute_library.cpp) and texture fetches need of a machine.
#include <fmt/format.h>

#include "engine/sim/machine/machine.hpp"

namespace tilescope {

std::span<const uint8_t> Machine::bytes_at(const Warp& warp, size_t lane, uint64_t address) const {
  const Extent* extent = running_.memory.find(address, 1);
  if (extent == nullptr) return {};
  const uint8_t* host = extent->space == Space::local
                            ? warp.local + (address - kLocalWindow) + lane * extent->lane_stride
                            : extent->data + (address - extent->low);
  return {host, static_cast<size_t>(extent->high - address)};
}

void Machine::forget_places() {
  for (SiteState& site : running_.sites) {
    site.low = 1;
    site.high = 0;
  }
}

}  // namespace tilescope
