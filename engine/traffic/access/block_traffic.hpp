// The traffic of each block of a launch, from its recorded accesses. SIMULATED.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/trace.hpp"

namespace tilescope {

struct BlockTraffic {
  uint64_t global_requests = 0, global_sectors = 0, global_useful_bytes = 0;
  uint64_t shared_requests = 0, shared_wavefronts = 0, shared_passes = 0;
  uint64_t bank_conflicts() const { return shared_wavefronts - shared_passes; }
  bool operator==(const BlockTraffic&) const = default;
};

/// By linear block index; zero for blocks that are not in the record.
std::vector<BlockTraffic> traffic_of_blocks(const AccessTrace& trace, uint32_t launch, uint64_t blocks);

/// The total traffic of accesses [first, last) of a trace, such as those of one block.
BlockTraffic traffic_of(const AccessTrace& trace, size_t first, size_t last);

/// Whether an access goes to shared memory, whatever space its instruction names.
bool is_shared(const Access& access);
/// Whether the lanes of a shared memory access never share a pass: true for stores, the matrices of an ldmatrix, and
/// copies.
bool lanes_apart(const Site& site);

}  // namespace tilescope
