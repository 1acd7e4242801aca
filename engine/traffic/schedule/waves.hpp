// How the blocks of a launch are assigned to the SMs of a GPU, wave by wave. MODELLED; and, if a kernel records it on a
// GPU, when and where each block really ran. MEASURED.
//
// The model: blocks are issued in index order, one to each SM in turn, until none has room; each block that ends makes
// room for the next one. All blocks take equally long, however many share an SM. So resident blocks end together, and
// the grid runs in waves:
//
//     resident = SMs · blocks per SM                               limited by occupancy
//     wave w   = blocks [w · resident, (w + 1) · resident)
//     block b  = index b mod resident in its wave: SM b mod SMs, slot index / SMs
//
// Real blocks end one by one, and a block that shares its SM with fewer others is faster. So the last wave of a kernel
// that keeps the arithmetic units busy costs less than this model says.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/block_schedule.hpp"
#include "engine/specs.hpp"
#include "engine/types.hpp"

namespace tilescope {

WaveSchedule schedule_waves(const GpuSpec& gpu, const BlockUsage& block, const Occupancy& occupancy,
                            uint64_t grid_blocks);

/// What one resource alone would allow on an SM, and how the grid would then run.
struct ResourceLimit {
  OccupancyLimit limit = OccupancyLimit::threads;
  /// Blocks per SM; nothing if the kernel uses none of the resource.
  std::optional<uint32_t> blocks;
  double occupancy = 0;  // warps of those blocks over the maximum of an SM, at most 1
  uint64_t waves = 0;    // for the grid; 0: it could not run
  bool limiting = false;
};

/// Registers, shared memory, warps, barriers (where they are a limit) and blocks, in this order.
std::vector<ResourceLimit> resource_limits(const GpuSpec& gpu, const BlockUsage& block, const Occupancy& occupancy,
                                           uint64_t grid_blocks);

/// The same grid on a different GPU.
struct GpuWaves {
  std::string id, name;
  OccupancyLimit limit = OccupancyLimit::threads;  // limit on the blocks per SM, by the GPU's limits alone
  WaveSchedule schedule;
};
/// On every GPU of the table, with the register count of one GPU's machine code.
std::vector<GpuWaves> waves_on(std::span<const GpuSpec> gpus, const BlockUsage& block, uint64_t grid_blocks);

/// Parses a buffer of three 64-bit numbers per block: %smid, and %globaltimer at its start and at its end, in
/// nanoseconds. Nothing if one of them is missing.
std::optional<BlockTimes> read_block_times(const HostBuffer& schedule, uint64_t grid_blocks);

}  // namespace tilescope
