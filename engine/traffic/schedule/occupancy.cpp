#include "engine/traffic/schedule/occupancy.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace tilescope {
namespace {

constexpr uint32_t kWarp = 32;
constexpr uint32_t kNoLimit = std::numeric_limits<uint32_t>::max();

uint32_t divide_up(uint32_t value, uint32_t by) { return (value + by - 1) / by; }
uint32_t round_up(uint32_t value, uint32_t multiple) { return divide_up(value, multiple) * multiple; }

/// Registers are allocated to a warp in one of the sub-partitions; the remainder of each is unused.
uint32_t blocks_by_registers(const GpuSpec& gpu, const BlockUsage& block, uint32_t warps) {
  const uint32_t of_warp = round_up(block.registers_per_thread * kWarp, gpu.register_granularity);
  if (of_warp == 0) return kNoLimit;
  // The check for a single block assumes equal use of every sub-partition.
  const uint32_t assumed = of_warp * round_up(warps, gpu.sub_partitions);
  if (assumed > gpu.registers_per_block || block.registers_per_thread > gpu.registers_per_thread) return 0;
  const uint32_t warps_held = gpu.registers_per_multiprocessor / gpu.sub_partitions / of_warp * gpu.sub_partitions;
  return warps_held / warps;
}

uint32_t shared_of_block(const GpuSpec& gpu, const BlockUsage& block) {
  return round_up(block.static_shared_bytes + block.dynamic_shared_bytes + gpu.reserved_shared_bytes_per_block,
                  gpu.shared_granularity);
}

uint32_t blocks_by_shared(const GpuSpec& gpu, uint32_t of_block) {
  if (of_block == 0) return kNoLimit;
  if (of_block > gpu.shared_bytes_per_block + gpu.reserved_shared_bytes_per_block) return 0;
  return gpu.shared_bytes_per_multiprocessor / of_block;
}

uint32_t blocks_by_barriers(const GpuSpec& gpu, const BlockUsage& block) {
  if (block.barriers == 0 || !gpu.barriers_per_multiprocessor) return kNoLimit;
  return *gpu.barriers_per_multiprocessor / block.barriers;
}

/// The driver chooses the smallest carve-out that does not exclude a block.
uint32_t carve_out_for(const GpuSpec& gpu, uint32_t bytes) {
  const auto found = std::ranges::lower_bound(gpu.shared_carve_outs, bytes);
  return found != gpu.shared_carve_outs.end() ? *found : gpu.shared_bytes_per_multiprocessor;
}

void add_waves(const GpuSpec& gpu, uint32_t blocks, uint64_t grid_blocks, Occupancy& result) {
  result.resident_blocks = uint64_t{blocks} * gpu.multiprocessors;
  if (result.resident_blocks == 0 || grid_blocks == 0) return;
  const uint64_t whole = (grid_blocks + result.resident_blocks - 1) / result.resident_blocks;
  result.waves = static_cast<double>(grid_blocks) / static_cast<double>(result.resident_blocks);
  result.blocks_in_last_wave = grid_blocks - (whole - 1) * result.resident_blocks;
  result.tail_efficiency = result.waves / static_cast<double>(whole);
}

}  // namespace

Occupancy occupancy_of(const GpuSpec& gpu, const BlockUsage& block, uint64_t grid_blocks) {
  Occupancy result;
  const uint32_t warps = std::max(1U, divide_up(block.threads, kWarp));
  const bool possible = block.threads <= gpu.max_threads_per_block;
  result.shared_bytes_per_block = shared_of_block(gpu, block);
  result.registers_per_block = round_up(block.registers_per_thread * kWarp, gpu.register_granularity) * warps;
  result.by_threads = possible ? gpu.max_warps_per_multiprocessor / warps : 0;
  result.by_blocks = gpu.max_blocks_per_multiprocessor;
  result.by_registers = blocks_by_registers(gpu, block, warps);
  result.by_shared = blocks_by_shared(gpu, result.shared_bytes_per_block);
  result.by_barriers = blocks_by_barriers(gpu, block);

  // Among equal limits the first is named: if all warps fit, nothing else limits; then limits that the learner can
  // change precede fixed ones.
  const std::array<std::pair<uint32_t, OccupancyLimit>, 5> limits{{{result.by_threads, OccupancyLimit::threads},
                                                                   {result.by_registers, OccupancyLimit::registers},
                                                                   {result.by_shared, OccupancyLimit::shared},
                                                                   {result.by_barriers, OccupancyLimit::barriers},
                                                                   {result.by_blocks, OccupancyLimit::blocks}}};
  const auto least = std::ranges::min_element(limits, {}, [](const auto& one) { return one.first; });
  uint32_t blocks = least->first;
  result.limit = least->second;
  add_waves(gpu, blocks, grid_blocks, result);

  const uint64_t of_grid = (grid_blocks + gpu.multiprocessors - 1) / gpu.multiprocessors;
  if (of_grid < blocks) {
    blocks = static_cast<uint32_t>(of_grid);
    result.limit = OccupancyLimit::grid;
  }
  result.blocks_per_multiprocessor = blocks;
  result.warps_per_multiprocessor = blocks * warps;
  result.occupancy = static_cast<double>(result.warps_per_multiprocessor) / gpu.max_warps_per_multiprocessor;
  result.shared_carve_out = carve_out_for(gpu, blocks * result.shared_bytes_per_block);
  result.l1_bytes = gpu.l1_and_shared_bytes - result.shared_carve_out;
  return result;
}

}  // namespace tilescope
