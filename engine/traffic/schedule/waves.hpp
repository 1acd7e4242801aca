// How the blocks of a launch land on the multiprocessors of a GPU, wave by wave. MODELLED; and, where a kernel notes it
// on a GPU, when and where each block really ran. MEASURED.
//
// The model: blocks are issued in the order of their index, one to each multiprocessor in turn, until none has room;
// each block that ends makes room for the next. All blocks take equally long, however many share a multiprocessor. So
// those that are resident end together, and the grid runs in waves:
//
//     resident = multiprocessors · blocks per multiprocessor       what occupancy allows
//     wave w   = blocks [w · resident, (w + 1) · resident)
//     block b  = place b mod resident of its wave: multiprocessor b mod multiprocessors, slot place / multiprocessors
//
// Real blocks end one by one, and one that shares its multiprocessor with fewer others is faster. Which is why the last
// wave of a kernel that keeps the arithmetic units busy costs less than this says.
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

/// What one resource alone would allow on a multiprocessor, and how the grid would run then.
struct ResourceLimit {
  OccupancyLimit limit = OccupancyLimit::threads;
  /// Blocks on a multiprocessor; nothing if the kernel takes none of the resource.
  std::optional<uint32_t> blocks;
  double occupancy = 0;  // warps of those blocks over the most that a multiprocessor holds, at most 1
  uint64_t waves = 0;    // of the grid; 0: it could not run
  bool limiting = false;
};

/// Registers, shared memory, warps, barriers (where they are a limit) and blocks, in this order.
std::vector<ResourceLimit> resource_limits(const GpuSpec& gpu, const BlockUsage& block, const Occupancy& occupancy,
                                           uint64_t grid_blocks);

/// The same grid on another GPU.
struct GpuWaves {
  std::string id, name;
  OccupancyLimit limit = OccupancyLimit::threads;  // of the blocks on a multiprocessor, by the GPU's limits alone
  WaveSchedule schedule;
};
/// On every GPU of the table, with the registers that the machine code of one of them takes.
std::vector<GpuWaves> waves_on(std::span<const GpuSpec> gpus, const BlockUsage& block, uint64_t grid_blocks);

/// From a buffer of three 64-bit numbers for each block: %smid, and %globaltimer at its begin and at its end, in
/// nanoseconds. Nothing if one of them is missing.
std::optional<BlockTimes> read_block_times(const HostBuffer& schedule, uint64_t grid_blocks);

}  // namespace tilescope
