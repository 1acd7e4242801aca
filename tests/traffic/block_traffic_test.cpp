#include "engine/traffic/access/block_traffic.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

constexpr uint64_t kShared = uint64_t{1} << kRegionBits;

AccessTrace trace_of_two_blocks() {
  AccessTrace trace;
  trace.sites = {{.kind = AccessKind::load, .bytes_per_lane = 4},
                 {.space = Space::shared, .kind = AccessKind::store, .bytes_per_lane = 4},
                 {.kind = AccessKind::load, .bytes_per_lane = 4, .launch = 1}};
  LanePattern side_by_side{}, columns{};
  for (int64_t lane = 0; lane < 32; ++lane) {
    side_by_side[static_cast<size_t>(lane)] = 4 * lane;
    columns[static_cast<size_t>(lane)] = 128 * lane;
  }
  trace.patterns = {side_by_side, columns};
  const auto access = [&](uint32_t block, uint16_t site, uint32_t pattern, uint64_t base, uint32_t mask = 0xffffffff) {
    trace.accesses.push_back({.base = base, .block = block, .mask = mask, .pattern = pattern, .site = site});
  };
  access(0, 0, 0, address_of(0, 0));
  access(0, 1, 0, kShared);
  access(2, 0, 0, address_of(0, 4));  // one word off sector alignment
  access(2, 0, 1, address_of(0, 0), 0xff);
  access(2, 1, 1, kShared);  // all lanes in one bank
  access(2, 2, 0, address_of(0, 0));
  return trace;
}

TEST(BlockTraffic, EveryBlockHasItsOwnSectorsAndPasses) {
  const auto blocks = traffic_of_blocks(trace_of_two_blocks(), 0, 3);
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks[0].global_requests, 1U);
  EXPECT_EQ(blocks[0].global_sectors, 4U);
  EXPECT_EQ(blocks[0].shared_wavefronts, 1U);
  EXPECT_EQ(blocks[0].bank_conflicts(), 0U);
  EXPECT_EQ(blocks[1], BlockTraffic{});
  EXPECT_EQ(blocks[2].global_requests, 2U);
  EXPECT_EQ(blocks[2].global_sectors, 5U + 8);
  EXPECT_EQ(blocks[2].global_useful_bytes, 128U + 32);
  EXPECT_EQ(blocks[2].shared_wavefronts, 32U);
  EXPECT_EQ(blocks[2].bank_conflicts(), 31U);
}

TEST(BlockTraffic, OneBlockAloneIsWhatItIsAmongAll) {
  const AccessTrace trace = trace_of_two_blocks();
  EXPECT_EQ(traffic_of(trace, 0, 2), traffic_of_blocks(trace, 0, 3)[0]);
  EXPECT_FALSE(is_shared(trace.accesses[0]));
  EXPECT_TRUE(is_shared(trace.accesses[1]));
}

TEST(BlockTraffic, OtherLaunchesDoNotCount) {
  const auto blocks = traffic_of_blocks(trace_of_two_blocks(), 1, 3);
  EXPECT_EQ(blocks[0], BlockTraffic{});
  EXPECT_EQ(blocks[2].global_requests, 1U);
}

}  // namespace
}  // namespace tilescope
