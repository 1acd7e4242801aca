// How many blocks of a launch a multiprocessor holds at a time, what limits them, and the waves in which the grid runs.
// The rules are those of the CUDA occupancy calculator (cuda_occupancy.h): registers are given to whole warps, each in
// a sub-partition of the multiprocessor, shared memory to whole blocks.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/specs.hpp"

namespace tilescope {

/// What one block takes; of a kernel's registers, those of its machine code for the GPU.
struct BlockUsage {
  uint32_t threads = 0;
  uint32_t registers_per_thread = 0;  // 0: unknown, and no limit
  uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  uint32_t barriers = 1;
};

enum class OccupancyLimit : uint8_t { threads, blocks, registers, shared, barriers, grid };
std::string_view name_of(OccupancyLimit limit);  // "threads"

struct Occupancy {
  /// Blocks that a multiprocessor holds at a time, by the grid too; 0: not even one fits.
  uint32_t blocks_per_multiprocessor = 0;
  uint32_t warps_per_multiprocessor = 0;  // of those blocks
  double occupancy = 0;                   // these over the most that a multiprocessor holds
  OccupancyLimit limit = OccupancyLimit::threads;
  /// What each limit alone would allow on one multiprocessor.
  uint32_t by_threads = 0, by_blocks = 0, by_registers = 0, by_shared = 0, by_barriers = 0;
  uint32_t registers_per_block = 0;     // as allocated
  uint32_t shared_bytes_per_block = 0;  // as allocated, with what the system reserves
  uint32_t shared_carve_out = 0;        // of one multiprocessor: the smallest size that holds all blocks
  uint32_t l1_bytes = 0;                // what the carve-out leaves
  uint64_t resident_blocks = 0;         // on the whole GPU, by its limits alone
  double waves = 0;                     // blocks of the grid over resident_blocks
  uint64_t blocks_in_last_wave = 0;
  /// Blocks of the grid over the places in its waves, rounded up: what of the GPU the waves fill on average.
  double tail_efficiency = 0;
};

Occupancy occupancy_of(const GpuSpec& gpu, const BlockUsage& block, uint64_t grid_blocks);

}  // namespace tilescope
