// Truth: NVIDIA's occupancy calculator, cuda_occupancy.h of the CUDA Toolkit, where installed, and figures calculated
// by hand from the tables of the CUDA C++ Programming Guide.
#include "engine/traffic/schedule/occupancy.hpp"

#include <gtest/gtest.h>

#include "tests/traffic/gpus.hpp"
#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define TILESCOPE_HAS_CALCULATOR 1
#endif

namespace tilescope {
namespace {

TEST(Occupancy, TwoHundredFiftySixThreadsOfThirtyTwoRegistersFillAMultiprocessor) {
  const Occupancy of = occupancy_of(gpu("h200"), {.threads = 256, .registers_per_thread = 32}, 1 << 20);
  EXPECT_EQ(of.blocks_per_multiprocessor, 8U);
  EXPECT_EQ(of.warps_per_multiprocessor, 64U);
  EXPECT_DOUBLE_EQ(of.occupancy, 1);
}

TEST(Occupancy, RegistersLimitABlockOf128EachTo16Warps) {
  const Occupancy of = occupancy_of(gpu("h200"), {.threads = 256, .registers_per_thread = 128}, 1 << 20);
  EXPECT_EQ(of.blocks_per_multiprocessor, 2U);
  EXPECT_EQ(of.limit, OccupancyLimit::registers);
  EXPECT_DOUBLE_EQ(of.occupancy, 0.25);
}

TEST(Occupancy, SharedMemoryOf100KiBLetsTwoBlocksInOnAnH100AndOneOnAnA100) {
  const BlockUsage usage{.threads = 128, .registers_per_thread = 32, .dynamic_shared_bytes = 100 * 1024};
  EXPECT_EQ(occupancy_of(gpu("h100"), usage, 1 << 20).blocks_per_multiprocessor, 2U);
  EXPECT_EQ(occupancy_of(gpu("h100"), usage, 1 << 20).limit, OccupancyLimit::shared);
  EXPECT_EQ(occupancy_of(gpu("a100"), usage, 1 << 20).blocks_per_multiprocessor, 1U);
  EXPECT_EQ(occupancy_of(gpu("rtx-4090"), usage, 1 << 20).blocks_per_multiprocessor, 0U) << "99 KiB is the most there";
}

TEST(Occupancy, SmallBlocksAreLimitedByTheirNumber) {
  const Occupancy of = occupancy_of(gpu("h200"), {.threads = 32, .registers_per_thread = 16}, 1 << 20);
  EXPECT_EQ(of.blocks_per_multiprocessor, 32U);
  EXPECT_DOUBLE_EQ(of.occupancy, 0.5);
  EXPECT_EQ(of.limit, OccupancyLimit::blocks);
}

TEST(Occupancy, AGridSmallerThanTheGpuIsItsOwnLimit) {
  const Occupancy of = occupancy_of(gpu("h200"), {.threads = 256, .registers_per_thread = 32}, 97);
  EXPECT_EQ(of.blocks_per_multiprocessor, 1U);
  EXPECT_EQ(of.limit, OccupancyLimit::grid);
  EXPECT_EQ(of.resident_blocks, 8U * 132);
  EXPECT_EQ(of.blocks_in_last_wave, 97U);
}

TEST(Occupancy, TheLastWaveIsTheRemainderAndItsEmptyPlacesAreTheTail) {
  // 2 blocks on each of 132 SMs: 600 blocks are two waves of 264 and one of 72.
  const Occupancy of = occupancy_of(gpu("h200"), {.threads = 1024, .registers_per_thread = 32}, 600);
  EXPECT_EQ(of.resident_blocks, 264U);
  EXPECT_NEAR(of.waves, 600.0 / 264, 1e-12);
  EXPECT_EQ(of.blocks_in_last_wave, 72U);
  EXPECT_NEAR(of.tail_efficiency, 600.0 / (3 * 264), 1e-12);
  const Occupancy whole = occupancy_of(gpu("h200"), {.threads = 1024, .registers_per_thread = 32}, 528);
  EXPECT_EQ(whole.blocks_in_last_wave, 264U);
  EXPECT_DOUBLE_EQ(whole.tail_efficiency, 1);
}

TEST(Occupancy, WhatSharedMemoryDoesNotTakeIsL1) {
  // Two blocks of 48 KiB plus the 1 KiB that the system reserves per block need 98 KiB: the carve-out of 100.
  const Occupancy of = occupancy_of(
      gpu("h200"), {.threads = 1024, .registers_per_thread = 32, .static_shared_bytes = 48 * 1024}, 1 << 20);
  EXPECT_EQ(of.shared_carve_out, 100U * 1024);
  EXPECT_EQ(of.l1_bytes, 156U * 1024);
}

#ifdef TILESCOPE_HAS_CALCULATOR

cudaOccDeviceProp properties_of(const GpuSpec& spec) {
  cudaOccDeviceProp properties;
  const int capability = std::stoi(spec.architecture.substr(3));
  properties.computeMajor = capability / 10;
  properties.computeMinor = capability % 10;
  properties.maxThreadsPerBlock = static_cast<int>(spec.max_threads_per_block);
  properties.maxThreadsPerMultiprocessor = static_cast<int>(spec.max_threads_per_multiprocessor);
  properties.regsPerBlock = static_cast<int>(spec.registers_per_block);
  properties.regsPerMultiprocessor = static_cast<int>(spec.registers_per_multiprocessor);
  properties.warpSize = 32;
  properties.sharedMemPerBlock = 48 * 1024;
  properties.sharedMemPerBlockOptin = spec.shared_bytes_per_block;
  properties.sharedMemPerMultiprocessor = spec.shared_bytes_per_multiprocessor;
  properties.numSms = static_cast<int>(spec.multiprocessors);
  properties.reservedSharedMemPerBlock = spec.reserved_shared_bytes_per_block;
  return properties;
}

/// The result of NVIDIA's calculator for a block that has opted into its shared memory.
int blocks_by_calculator(const GpuSpec& spec, const BlockUsage& usage) {
  const cudaOccDeviceProp properties = properties_of(spec);
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = 1024;
  attributes.numRegs = static_cast<int>(usage.registers_per_thread);
  attributes.sharedSizeBytes = usage.static_shared_bytes;
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = spec.shared_bytes_per_block - usage.static_shared_bytes;
  attributes.numBlockBarriers = static_cast<int>(usage.barriers);
  cudaOccDeviceState state;
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  cudaOccResult result{};
  const cudaOccError status = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, static_cast<int>(usage.threads), usage.dynamic_shared_bytes);
  EXPECT_EQ(status, CUDA_OCC_SUCCESS);
  return result.activeBlocksPerMultiprocessor;
}

TEST(Occupancy, EqualsNvidiasCalculatorForEveryGpuAndUsage) {
  int different_kinds = 0;
  for (const GpuSpec& spec : all_gpus()) {
    for (uint32_t threads : {1U, 32U, 64U, 96U, 128U, 160U, 256U, 384U, 416U, 512U, 640U, 768U, 1024U}) {
      for (uint32_t registers = 16; registers <= 255; registers += 7) {
        for (uint32_t shared :
             {0U, 1U, 1024U, 4096U, 10000U, 16384U, 33000U, 49152U, 65536U, 101376U, 166912U, 232448U}) {
          for (uint32_t barriers : {0U, 1U, 5U, 16U}) {
            if (shared > spec.shared_bytes_per_block) continue;
            const uint32_t fixed = std::min(shared, 1024U);
            const BlockUsage usage{threads, registers, fixed, shared - fixed, barriers};
            const Occupancy of = occupancy_of(spec, usage, uint64_t{1} << 40);
            const int truth = blocks_by_calculator(spec, usage);
            different_kinds |= 1 << static_cast<int>(of.limit);
            ASSERT_EQ(of.blocks_per_multiprocessor, static_cast<uint32_t>(truth))
                << spec.id << " " << threads << " threads, " << registers << " registers, " << shared << " bytes, "
                << barriers << " barriers";
          }
        }
      }
    }
  }
  EXPECT_EQ(different_kinds, 0b11111) << "every limit but the grid is met";
}

#endif

}  // namespace
}  // namespace tilescope
