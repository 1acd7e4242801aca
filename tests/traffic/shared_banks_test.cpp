// Wavefronts of shared memory, from an H200's counters.
#include "engine/traffic/access/shared_banks.hpp"

#include <gtest/gtest.h>

#include <array>

namespace tilescope {
namespace {

/// Lane i at i · stride bytes.
std::array<uint64_t, 32> strided(uint64_t stride) {
  std::array<uint64_t, 32> offset{};
  for (size_t lane = 0; lane < 32; ++lane) offset[lane] = lane * stride;
  return offset;
}
constexpr uint32_t kAll = 0xffffffff;

TEST(SharedBanks, NeighbouringWordsTakeOneWavefront) {
  EXPECT_EQ(shared_cost(strided(4), kAll, 4, false).wavefronts, 1U);
  EXPECT_EQ(shared_cost(strided(4), kAll, 4, true).wavefronts, 1U);
}
TEST(SharedBanks, AStrideOfNWordsTakesAsManyWavefrontsAsLanesShareABank) {
  for (uint64_t words : {2, 4, 8, 16, 32}) EXPECT_EQ(shared_cost(strided(4 * words), kAll, 4, false).wavefronts, words);
  for (uint64_t words : {1, 3, 5, 33}) EXPECT_EQ(shared_cost(strided(4 * words), kAll, 4, false).wavefronts, 1U);
}
TEST(SharedBanks, OneWordForAllLanesIsNoConflict) {
  EXPECT_EQ(shared_cost(strided(0), kAll, 4, false).wavefronts, 1U);
  EXPECT_EQ(shared_cost(strided(0), kAll, 4, true).wavefronts, 1U);
}
TEST(SharedBanks, WideLanesGoInHalvesAndQuartersOfAWarp) {
  EXPECT_EQ(shared_cost(strided(8), kAll, 8, false).wavefronts, 2U);
  EXPECT_EQ(shared_cost(strided(16), kAll, 16, false).wavefronts, 4U);
  EXPECT_EQ(shared_cost(strided(16), kAll, 16, true).wavefronts, 4U);
}
TEST(SharedBanks, LoadsInWhichNeighboursAgreeTakeFewerPasses) {
  EXPECT_EQ(shared_cost(strided(0), kAll, 16, false).wavefronts, 2U);  // a float4 broadcast
  EXPECT_EQ(shared_cost(strided(0), kAll, 8, false).wavefronts, 1U);
  EXPECT_EQ(shared_cost(strided(0), kAll, 16, true).wavefronts, 4U);  // stores never merge
}
TEST(SharedBanks, PassesWithoutAnActiveLaneCostNothing) {
  const auto cost = shared_cost(strided(16), 0x000000ff, 16, false);
  EXPECT_EQ(cost.passes, 1U);
  EXPECT_EQ(cost.wavefronts, 1U);
}
TEST(SharedBanks, BytesOfOneWordAreNoConflict) {
  EXPECT_EQ(shared_cost(strided(1), kAll, 1, false).wavefronts, 1U);
  EXPECT_EQ(shared_cost(strided(2), kAll, 2, false).wavefronts, 1U);
  EXPECT_EQ(shared_cost(strided(128), kAll, 2, false).wavefronts, 32U);
}

TEST(SharedBanks, ThePassesSayWhichLanesGoTogether) {
  const auto quarters = shared_passes(strided(16), kAll, 16, false);
  ASSERT_EQ(quarters.size(), 4U);
  for (size_t pass = 0; pass < 4; ++pass) {
    EXPECT_EQ(quarters[pass].lanes, 0xffU << (8 * pass));
    EXPECT_EQ(quarters[pass].wavefronts, 1U);
  }
  const auto merged = shared_passes(strided(0), kAll, 16, false);
  ASSERT_EQ(merged.size(), 2U);
  EXPECT_EQ(merged[0].lanes, 0xffffU);
  const auto column = shared_passes(strided(128), 0xff, 4, false);
  ASSERT_EQ(column.size(), 1U);
  EXPECT_EQ(column[0].lanes, 0xffU);
  EXPECT_EQ(column[0].wavefronts, 8U);
}

}  // namespace
}  // namespace tilescope
