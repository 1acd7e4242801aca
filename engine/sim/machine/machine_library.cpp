// What the functions of the run time (isa/execute_library.cpp) and texture fetches need of a machine.
#include <fmt/format.h>

#include "engine/sim/machine/machine.hpp"

namespace tilescope {

std::span<const uint8_t> Machine::bytes_at(const Warp& warp, size_t lane, uint64_t address) const {
  const Extent* extent = memory_.find(address, 1);
  if (extent == nullptr) return {};
  const uint8_t* host = extent->space == Space::local
                            ? warp.local + (address - kLocalWindow) + lane * extent->lane_stride
                            : extent->data + (address - extent->low);
  return {host, static_cast<size_t>(extent->high - address)};
}

void Machine::report_string(Warp& warp, const Operation* operation, size_t lane, uint64_t address) {
  const Extent* extent = memory_.nearest(address);
  report(warp, static_cast<uint32_t>(operation - warp.code), static_cast<uint32_t>(lane), 1, "out-of-bounds",
         phrase("printf reads a string at {}", place_text(extent, address)), extent,
         extent == nullptr ? 0 : static_cast<int64_t>(address - extent->low));
}

void Machine::report_free(Warp& warp, const Operation* operation, size_t lane, FindingId id, uint64_t address) {
  const Extent* extent = memory_.nearest(address);
  report(warp, static_cast<uint32_t>(operation - warp.code), static_cast<uint32_t>(lane), 1, id,
         id == FindingId("double-free")
             ? phrase("free of {}, which is free already", place_text(extent, address))
             : phrase("free of {}, which malloc has not returned", place_text(extent, address)),
         extent, extent == nullptr ? 0 : static_cast<int64_t>(address - extent->low));
}

void Machine::report_texel(Warp& warp, const Operation* operation, size_t lane, uint64_t address, size_t bytes) {
  const Extent* extent = memory_.nearest(address);
  const auto index = static_cast<uint32_t>(operation - warp.code);
  if (extent == nullptr) return;
  if (extent->made_on_read != nullptr) return extent->made_on_read->make_contents(address - extent->low, bytes);
  if (!setup_.checks || count_again(index, 1, "uninitialised-read")) return;
  report(warp, index, static_cast<uint32_t>(lane), 1, "uninitialised-read",
         phrase("texture read of {} bytes at {}", bytes, place_text(extent, address)), extent,
         static_cast<int64_t>(address - extent->low));
}

void Machine::forget_places() {
  for (SiteState& site : sites_) {
    site.low = 1;
    site.high = 0;
  }
}

}  // namespace tilescope
