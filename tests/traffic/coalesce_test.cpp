// Expected counts follow from the addresses; for the stride-1, misaligned and 16-byte cases ncu reports the same on an
// H200 for l1tex__t_sectors_pipe_lsu_mem_global_op_ld over l1tex__t_requests_… (tools/compare_counters.py).
#include "engine/traffic/access/coalesce.hpp"

#include <gtest/gtest.h>

#include <array>

namespace tilescope {
namespace {

std::array<uint64_t, 32> strided(uint64_t base, uint64_t stride) {
  std::array<uint64_t, 32> address{};
  for (size_t lane = 0; lane < 32; ++lane) address[lane] = base + lane * stride;
  return address;
}

constexpr uint32_t kAll = 0xffffffff;

TEST(Coalesce, NeighbouringFloatsTakeFourSectorsOfOneLine) {
  const GlobalCost cost = coalesce(strided(4096, 4), kAll, 4);
  EXPECT_EQ(cost.sectors, 4U);
  EXPECT_EQ(cost.lines, 1U);
  EXPECT_EQ(cost.useful_bytes, 128U);
}

TEST(Coalesce, OneFloatOffTheSectorTakesAFifthSectorAndASecondLine) {
  const GlobalCost cost = coalesce(strided(4100, 4), kAll, 4);
  EXPECT_EQ(cost.sectors, 5U);
  EXPECT_EQ(cost.lines, 2U);
  EXPECT_EQ(cost.useful_bytes, 128U);
}

TEST(Coalesce, SixteenByteAccessesTakeSixteenSectorsOfFourLines) {
  const GlobalCost cost = coalesce(strided(4096, 16), kAll, 16);
  EXPECT_EQ(cost.sectors, 16U);
  EXPECT_EQ(cost.lines, 4U);
  EXPECT_EQ(cost.useful_bytes, 512U);
}

TEST(Coalesce, AStrideOfASectorWastesSevenEighths) {
  const GlobalCost cost = coalesce(strided(0, 32), kAll, 4);
  EXPECT_EQ(cost.sectors, 32U);
  EXPECT_EQ(cost.useful_bytes, 128U);
}

TEST(Coalesce, ABroadcastIsOneSectorAndFourUsefulBytes) {
  const GlobalCost cost = coalesce(strided(512, 0), kAll, 4);
  EXPECT_EQ(cost.sectors, 1U);
  EXPECT_EQ(cost.useful_bytes, 4U);
}

TEST(Coalesce, IdleLanesCostNothing) {
  EXPECT_EQ(coalesce(strided(0, 4), 0xff, 4).sectors, 1U);
  EXPECT_EQ(coalesce(strided(0, 4), 0x80000001, 4).sectors, 2U);
  EXPECT_EQ(coalesce(strided(0, 4), 0, 4).sectors, 0U);
}

TEST(Coalesce, TheOrderOfLanesDoesNotMatter) {
  auto address = strided(4096, 4);
  std::swap(address[0], address[31]);
  std::swap(address[7], address[12]);
  EXPECT_EQ(coalesce(address, kAll, 4).sectors, 4U);
  EXPECT_EQ(coalesce(address, kAll, 4).useful_bytes, 128U);
}

TEST(Coalesce, OverlappingLanesCountTheirBytesOnce) {
  const GlobalCost cost = coalesce(strided(0, 2), kAll, 4);
  EXPECT_EQ(cost.useful_bytes, 66U);
  EXPECT_EQ(cost.sectors, 3U);
}

}  // namespace
}  // namespace tilescope
