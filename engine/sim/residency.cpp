#include "engine/sim/residency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/traffic/occupancy.hpp"

namespace tilescope {
namespace {

/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", 9.0.
GpuSpec make_usual_gpu() {
  GpuSpec gpu;
  gpu.id = kUsualGpu;
  gpu.name = "H200";
  gpu.architecture = "sm_90";
  gpu.multiprocessors = 132;
  gpu.l1_and_shared_bytes = 256 * 1024;
  gpu.shared_bytes_per_multiprocessor = 228 * 1024;
  gpu.shared_bytes_per_block = 227 * 1024;
  gpu.reserved_shared_bytes_per_block = 1024;
  gpu.shared_granularity = 128;
  gpu.registers_per_multiprocessor = gpu.registers_per_block = 65536;
  gpu.registers_per_thread = 255;
  gpu.register_granularity = 256;
  gpu.sub_partitions = 4;
  gpu.max_threads_per_multiprocessor = 2048;
  gpu.max_warps_per_multiprocessor = 64;
  gpu.max_blocks_per_multiprocessor = 32;
  gpu.max_threads_per_block = 1024;
  gpu.barriers_per_multiprocessor = 64;
  return gpu;
}

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

const GpuSpec& usual_gpu() {
  static const GpuSpec gpu = make_usual_gpu();
  return gpu;
}

Residency resident_blocks(const GpuSpec& gpu, const BlockUsage& block) {
  const Occupancy occupancy = occupancy_of(gpu, block, std::numeric_limits<uint64_t>::max() / 2);
  return {uint64_t{std::max(1U, occupancy.blocks_per_multiprocessor)} * gpu.multiprocessors,
          phrase("{} for each of {} multiprocessors", limit_text(gpu, occupancy.limit), gpu.multiprocessors)};
}

}  // namespace tilescope
