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

#include "engine/traffic/occupancy.hpp"
#include "engine/types.hpp"

namespace tilescope {

/// The multiprocessor to which a block goes when they are served in turn.
constexpr uint32_t multiprocessor_in_turn(uint64_t block, uint32_t multiprocessors) {
  return static_cast<uint32_t>(block % multiprocessors);
}

struct BlockPlace {
  uint64_t wave = 0;
  uint32_t multiprocessor = 0, slot = 0;
  bool operator==(const BlockPlace&) const = default;
};

enum class BlockState : uint8_t { waiting, resident, done };

struct WaveSchedule {
  uint64_t blocks = 0;  // of the grid
  uint32_t multiprocessors = 0;
  uint32_t blocks_per_multiprocessor = 0;  // that fit at a time; 0: not even one, and there are no waves
  uint32_t warps_per_block = 0;

  bool runs() const { return blocks > 0 && resident() > 0; }
  uint64_t resident() const { return uint64_t{multiprocessors} * blocks_per_multiprocessor; }
  uint64_t waves() const { return runs() ? (blocks + resident() - 1) / resident() : 0; }
  uint64_t full_waves() const { return runs() ? blocks / resident() : 0; }
  uint64_t first_of(uint64_t wave) const { return wave * resident(); }
  /// Blocks of a wave, all of them or those on one multiprocessor.
  uint64_t blocks_in(uint64_t wave) const;
  uint32_t blocks_on(uint64_t wave, uint32_t multiprocessor) const;
  uint64_t last_wave_blocks() const { return runs() ? blocks_in(waves() - 1) : 0; }
  uint32_t busy_multiprocessors(uint64_t wave) const;  // those that get a block
  /// Of the places for blocks, over the whole time, those that hold one: the last wave's empty ones are missing.
  double filled() const;
  /// The same of the last wave alone.
  double last_wave_filled() const;

  BlockPlace place_of(uint64_t block) const;
  /// Once so many blocks have been issued: those of earlier waves than the newest one's are done.
  BlockState state_of(uint64_t block, uint64_t issued) const;
  uint64_t first_resident(uint64_t issued) const;  // the first block that is not done
  /// How many blocks have been issued at the end of the wave in which the next one is, and at the beginning of that of
  /// the last one: where steps by a wave go.
  uint64_t next_wave(uint64_t issued) const;
  uint64_t previous_wave(uint64_t issued) const;
  bool operator==(const WaveSchedule&) const = default;
};

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

/// When and where one block ran.
struct BlockSpan {
  uint32_t multiprocessor = 0;
  double begin_us = 0, end_us = 0;  // from the first block's begin
};
struct BlockTimes {
  std::vector<BlockSpan> blocks;  // by index
  std::vector<uint32_t> order;    // of their begins
  double total_us = 0;
  uint32_t multiprocessors = 0;  // different ones that ran a block
  uint32_t most_resident = 0;    // blocks on one multiprocessor at a time
  /// Over the whole time and all multiprocessors, how many of those most_resident places held a block.
  double filled = 0;
};

/// From a buffer of three 64-bit numbers for each block: %smid, and %globaltimer at its begin and at its end, in
/// nanoseconds. Nothing if one of them is missing.
std::optional<BlockTimes> read_block_times(const HostBuffer& schedule, uint64_t grid_blocks);

}  // namespace tilescope
