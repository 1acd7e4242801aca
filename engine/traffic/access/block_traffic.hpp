// What each block of a launch moved, from its recorded accesses: the ledger by block. SIMULATED.
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

/// By linear block index; blocks that are not in the record have nothing.
std::vector<BlockTraffic> traffic_of_blocks(const AccessTrace& trace, uint32_t launch, uint64_t blocks);

/// What accesses [first, last) of a trace move together: those of one block, where it is looked at alone.
BlockTraffic traffic_of(const AccessTrace& trace, size_t first, size_t last);

/// Whether an access goes to shared memory, whatever space its instruction names.
bool is_shared(const Access& access);
/// Whether the lanes of an access to shared memory never share a pass: those of a store, the matrices of an ldmatrix,
/// and copies.
bool lanes_apart(const Site& site);

}  // namespace tilescope
