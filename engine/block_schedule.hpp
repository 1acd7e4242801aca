// How many blocks of a launch a multiprocessor holds, the waves in which the grid runs, and when blocks really ran:
// values. engine/traffic/schedule/occupancy.hpp and engine/traffic/schedule/waves.hpp work them out and say how.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

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
  uint32_t warps_per_multiprocessor = 0;  // in those blocks
  double occupancy = 0;                   // these over the most that a multiprocessor holds
  OccupancyLimit limit = OccupancyLimit::threads;
  /// What each limit alone would allow on one multiprocessor.
  uint32_t by_threads = 0, by_blocks = 0, by_registers = 0, by_shared = 0, by_barriers = 0;
  uint32_t registers_per_block = 0;     // as allocated
  uint32_t shared_bytes_per_block = 0;  // as allocated, with what the system reserves
  uint32_t shared_carve_out = 0;        // bytes a multiprocessor sets aside: the smallest size that holds all blocks
  uint32_t l1_bytes = 0;                // what the carve-out leaves
  uint64_t resident_blocks = 0;         // on the whole GPU, by its limits alone
  double waves = 0;                     // blocks of the grid over resident_blocks
  uint64_t blocks_in_last_wave = 0;
  /// Blocks of the grid over the places in its waves, rounded up: what of the GPU the waves fill on average.
  double tail_efficiency = 0;
};

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
  uint64_t blocks = 0;  // in the grid
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

}  // namespace tilescope
