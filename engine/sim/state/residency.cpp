#include "engine/sim/state/residency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/traffic/schedule/occupancy.hpp"

namespace tilescope {
namespace {

Phrase limit_text(const GpuSpec& gpu, OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::threads:
      return phrase("{} threads", gpu.max_threads_per_multiprocessor);
    case OccupancyLimit::registers:
      return phrase("{} registers", gpu.registers_per_multiprocessor);
    case OccupancyLimit::shared:
      return phrase("{} bytes of shared memory", gpu.shared_bytes_per_multiprocessor);
    case OccupancyLimit::barriers:
      return phrase("{} barriers", gpu.barriers_per_multiprocessor.value_or(0));
    case OccupancyLimit::blocks:
    case OccupancyLimit::grid:
      break;
  }
  return phrase("{} blocks", gpu.max_blocks_per_multiprocessor);
}

}  // namespace

Residency resident_blocks(const GpuSpec& gpu, const BlockUsage& block) {
  const Occupancy occupancy = occupancy_of(gpu, block, std::numeric_limits<uint64_t>::max() / 2);
  return {uint64_t{std::max(1U, occupancy.blocks_per_multiprocessor)} * gpu.multiprocessors,
          phrase("{} for each of {} multiprocessors", limit_text(gpu, occupancy.limit), gpu.multiprocessors)};
}

}  // namespace tilescope
