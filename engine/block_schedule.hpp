// Value types: how many blocks of a launch an SM holds, the waves in which the grid runs, and when blocks really ran.
// Computed and explained in engine/traffic/schedule/occupancy.hpp and engine/traffic/schedule/waves.hpp.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilescope {

/// What one block needs. Registers are those of the kernel's machine code for the GPU.
struct BlockUsage {
  uint32_t threads = 0;
  uint32_t registers_per_thread = 0;  // 0: unknown, so no limit
  uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  uint32_t barriers = 1;
};

enum class OccupancyLimit : uint8_t { threads, blocks, registers, shared, barriers, grid };
std::string_view name_of(OccupancyLimit limit);  // "threads"

struct Occupancy {
  /// Blocks that an SM holds at a time, limited by the grid too; 0: a block does not fit.
  uint32_t blocks_per_multiprocessor = 0;
  uint32_t warps_per_multiprocessor = 0;  // in those blocks
  double occupancy = 0;                   // those warps over the maximum of an SM
  OccupancyLimit limit = OccupancyLimit::threads;
  /// What each limit alone would allow on one SM.
  uint32_t by_threads = 0, by_blocks = 0, by_registers = 0, by_shared = 0, by_barriers = 0;
  uint32_t registers_per_block = 0;     // as allocated
  uint32_t shared_bytes_per_block = 0;  // as allocated, including the system's reserved bytes
  uint32_t shared_carve_out = 0;        // bytes of shared memory set aside per SM: the smallest size that holds all
                                        // blocks
  uint32_t l1_bytes = 0;                // what the carve-out leaves for L1
  uint64_t resident_blocks = 0;         // on the whole GPU, by its per-SM limits alone
  double waves = 0;                     // blocks of the grid / resident_blocks
  uint64_t blocks_in_last_wave = 0;
  /// Blocks of the grid / block slots in its waves (rounded up): the average fraction of the GPU that the waves fill.
  double tail_efficiency = 0;
};

/// The SM that gets a block if SMs are served round-robin.
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
  uint32_t blocks_per_multiprocessor = 0;  // that fit at a time; 0: a block does not fit, and there are no waves
  uint32_t warps_per_block = 0;

  bool runs() const { return blocks > 0 && resident() > 0; }
  uint64_t resident() const { return uint64_t{multiprocessors} * blocks_per_multiprocessor; }
  uint64_t waves() const { return runs() ? (blocks + resident() - 1) / resident() : 0; }
  uint64_t full_waves() const { return runs() ? blocks / resident() : 0; }
  uint64_t first_of(uint64_t wave) const { return wave * resident(); }
  /// Blocks of a wave: all of them, or those on one SM.
  uint64_t blocks_in(uint64_t wave) const;
  uint32_t blocks_on(uint64_t wave, uint32_t multiprocessor) const;
  uint64_t last_wave_blocks() const { return runs() ? blocks_in(waves() - 1) : 0; }
  uint32_t busy_multiprocessors(uint64_t wave) const;  // SMs that get a block
  /// Fraction of block slots that hold a block, over all waves: only the last wave may have empty slots.
  double filled() const;
  /// The same fraction for the last wave alone.
  double last_wave_filled() const;

  BlockPlace place_of(uint64_t block) const;
  /// State after `issued` blocks have been issued: blocks of waves before the newest are done.
  BlockState state_of(uint64_t block, uint64_t issued) const;
  uint64_t first_resident(uint64_t issued) const;  // the first block that is not done
  /// Targets for stepping by waves: `issued` at the end of the wave that contains the next block, and at the start of
  /// the wave that contains the last issued block.
  uint64_t next_wave(uint64_t issued) const;
  uint64_t previous_wave(uint64_t issued) const;
  bool operator==(const WaveSchedule&) const = default;
};

/// When and where one block ran.
struct BlockSpan {
  uint32_t multiprocessor = 0;
  double begin_us = 0, end_us = 0;  // from the start of the first block
};
struct BlockTimes {
  std::vector<BlockSpan> blocks;  // by index
  std::vector<uint32_t> order;    // block indices in order of start
  double total_us = 0;
  uint32_t multiprocessors = 0;  // number of SMs that ran a block
  uint32_t most_resident = 0;    // maximum number of blocks on one SM at a time
  /// Average fraction of the most_resident block slots that held a block, over all SMs and the whole time.
  double filled = 0;
};

}  // namespace tilescope
