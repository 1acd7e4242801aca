#include "engine/sim/state/residency.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TEST(Residency, TheGpuThatIsTakenWithoutATableIsTheOneOfTheTable) {
  const auto gpus = read_gpu_specs(std::string(TILESCOPE_SOURCE) + "/assets/gpus.toml");
  ASSERT_TRUE(gpus) << gpus.error().message;
  const GpuSpec& table = *find_gpu(*gpus, kUsualGpu);
  const GpuSpec& built_in = usual_gpu();
  EXPECT_EQ(built_in.multiprocessors, table.multiprocessors);
  EXPECT_EQ(built_in.shared_bytes_per_block, table.shared_bytes_per_block);
  // Each limit in turn.
  for (const BlockUsage& usage :
       {BlockUsage{.threads = 1024}, BlockUsage{.threads = 32}, BlockUsage{.threads = 256, .registers_per_thread = 168},
        BlockUsage{.threads = 64, .dynamic_shared_bytes = 50000}, BlockUsage{.threads = 64, .barriers = 16}}) {
    EXPECT_EQ(resident_blocks(built_in, usage).blocks, resident_blocks(table, usage).blocks);
    EXPECT_EQ(resident_blocks(built_in, usage).reason, resident_blocks(table, usage).reason);
  }
  EXPECT_EQ(resident_blocks(table, {.threads = 64, .dynamic_shared_bytes = 50000}).reason,
            "233472 bytes of shared memory for each of 132 multiprocessors");
}

}  // namespace
}  // namespace tilescope
