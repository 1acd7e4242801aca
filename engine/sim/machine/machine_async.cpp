// The machine's part in asynchronous copies: the block's copies, what is handed to the search for races, and the
// finding of bytes that are used before their copy was waited for.
#include <fmt/format.h>

#include <bit>

#include "engine/sim/machine/machine.hpp"
#include "engine/sim/state/async_copies.hpp"

namespace tilescope {

AsyncCopies& Machine::async_copies() {
  if (running_.block->copies == nullptr)
    running_.block->copies = std::make_shared<AsyncCopies>(
        running_.block->shared.data(), setup_.checks ? running_.block->shared_written.data() : nullptr,
        setup_.shared_bytes, running_.block->warps.size());
  return *running_.block->copies;
}

bool Machine::copies_pending() const { return running_.block->copies != nullptr && running_.block->copies->any(); }

uint32_t Machine::report_not_waited(Warp& warp, uint32_t site_index, const uint64_t* addresses, int64_t offset,
                                    uint32_t mask) {
  const MemorySite& site = program_.sites[site_index];
  const AsyncCopies::Copy* first = nullptr;
  uint32_t lanes = 0;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    const uint64_t address = addresses[lane] + static_cast<uint64_t>(offset) - kSharedWindow;
    const AsyncCopies::Copy* copy = running_.block->copies->find(address, site.bytes_per_lane);
    if (copy == nullptr) continue;
    if (first == nullptr) first = copy;
    lanes |= 1U << lane;
  }
  if (first == nullptr) return 0;
  const auto count = static_cast<uint32_t>(std::popcount(lanes));
  if (findings_.count_again(site.operation, count, "async-copy-not-waited")) return lanes;
  const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
  const uint64_t address = addresses[lane] + static_cast<uint64_t>(offset);
  const Extent* extent = running_.memory.nearest(address);
  findings_.report(
      warp, site.operation, lane, count, "async-copy-not-waited",
      phrase("{} of {} bytes at {}, whose copy was issued at {}", verb_of(site), site.bytes_per_lane,
             findings_.place_text(extent, address), findings_.line_text(&program_.operations[first->operation])),
      extent, extent == nullptr ? 0 : static_cast<int64_t>(address - extent->low));
  return lanes;
}

void Machine::forget_written_prefix(uint32_t site_index) {
  if (running_.sites[site_index].written_prefix != nullptr) *running_.sites[site_index].written_prefix = 0;
}

}  // namespace tilescope
