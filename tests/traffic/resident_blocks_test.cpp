#include "engine/traffic/block_order/resident_blocks.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tilescope {
namespace {

/// The slots in the order of their turns: each block takes `turns` turns whose data all hit, and no block follows it.
std::vector<uint32_t> turns_of(const GridPace& pace, uint32_t multiprocessors, uint32_t slots, uint32_t turns,
                               uint32_t missing_slot = UINT32_MAX) {
  ResidentBlocks running(pace, 1, multiprocessors, slots);
  std::vector<uint32_t> left(slots, turns), order;
  for (uint32_t slot = 0; slot < slots; ++slot) running.seat(slot, slot);
  for (std::span<const uint32_t> due = running.next(); !due.empty(); due = running.next())
    for (const uint32_t slot : due) {
      if (left[slot] == 0) {
        running.leave(slot);
        continue;
      }
      --left[slot];
      order.push_back(slot);
      running.work(slot, slot == missing_slot ? 1000 : 0, 1000);
    }
  return order;
}

TEST(ResidentBlocks, BlocksOfTheSamePaceTakeTurnsInTheirOrder) {
  EXPECT_EQ(turns_of({}, 4, 4, 2), (std::vector<uint32_t>{0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(turns_of({}, 2, 4, 2), (std::vector<uint32_t>{0, 2, 1, 3, 0, 2, 1, 3})) << "two on a multiprocessor";
}

TEST(ResidentBlocks, OlderBlocksOfAMultiprocessorMayComeFirst) {
  EXPECT_EQ(turns_of({.precedence = 1}, 1, 2, 3), (std::vector<uint32_t>{0, 1, 0, 0, 1, 1}))
      << "the younger one waits until the older one has ended";
  const std::vector<uint32_t> some = turns_of({.precedence = 0.5}, 1, 2, 8);
  EXPECT_EQ(some.size(), 16U);
  EXPECT_EQ(std::vector<uint32_t>(some.end() - 3, some.end()), (std::vector<uint32_t>{1, 1, 1}));
}

TEST(ResidentBlocks, OneThatCannotKeepAMultiprocessorBusyLeavesTheRestToTheOthers) {
  // A lone step takes twice the time for which it occupies the SM, so two do not slow each other down.
  EXPECT_EQ(turns_of({.busy_ns = 1, .alone_ns = 2, .precedence = 1}, 1, 2, 2), (std::vector<uint32_t>{0, 1, 0, 1}));
}

TEST(ResidentBlocks, AMissHoldsABlockBackUnlessItsCopiesInFlightHideTheLatency) {
  const GridPace hidden{.busy_ns = 400, .alone_ns = 400, .steps_in_flight = 4, .hit_ns = 600, .miss_ns = 300};
  EXPECT_EQ(turns_of(hidden, 2, 2, 3, 0), (std::vector<uint32_t>{0, 1, 0, 1, 0, 1}));
  GridPace waiting = hidden;
  waiting.steps_in_flight = 2;  // (600 + 300) / 2 = 450 ns, 50 more than a step
  EXPECT_EQ(turns_of(waiting, 2, 2, 3, 0), (std::vector<uint32_t>{0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(turns_of(waiting, 2, 2, 3), (std::vector<uint32_t>{0, 1, 0, 1, 0, 1})) << "what hits does not wait";
}

TEST(ResidentBlocks, TheOtherBlocksOfAMultiprocessorHideAMissExceptForTheSharedPart) {
  GridPace pace{.busy_ns = 400, .alone_ns = 400, .steps_in_flight = 2, .hit_ns = 600, .miss_ns = 300};
  EXPECT_EQ(turns_of(pace, 1, 2, 3, 0), (std::vector<uint32_t>{0, 1, 0, 1, 0, 1})) << "900 ns in 2 · 800";
  pace.shared_miss = 0.5;
  EXPECT_EQ(turns_of(pace, 1, 2, 3, 0), (std::vector<uint32_t>{0, 1, 1, 0, 1, 0})) << "75 ns";
}

TEST(ResidentBlocks, LatenciesWithATailAreNotEntirelyHidden) {
  GridPace pace{.busy_ns = 400, .alone_ns = 400, .steps_in_flight = 3, .hit_ns = 600, .miss_ns = 300};
  EXPECT_EQ(turns_of(pace, 2, 2, 3, 0), (std::vector<uint32_t>{0, 1, 0, 1, 0, 1}));
  pace.latency_tail_ns = 100;
  EXPECT_EQ(turns_of(pace, 2, 2, 3, 0), (std::vector<uint32_t>{0, 1, 1, 0, 1, 0}));
}

TEST(ResidentBlocks, ClustersDifferInPaceAndTheirMultiprocessorsDoNot) {
  const GridPace pace{.cluster_spread = 0.1};
  constexpr uint32_t kClusters = 4, kCount = kClusters * kClusterMultiprocessors;
  const std::vector<uint32_t> order = turns_of(pace, kCount, kCount, 2);
  ASSERT_EQ(order.size(), size_t{2} * kCount);
  // All begin at the same time; then each cluster's second turns follow one another.
  for (size_t first = kCount; first < order.size(); first += kClusterMultiprocessors)
    for (size_t i = first; i < first + kClusterMultiprocessors; ++i)
      EXPECT_EQ(cluster_of(order[i], kCount), cluster_of(order[first], kCount)) << i;
  EXPECT_EQ(cluster_count(132), 8U);
  EXPECT_EQ(cluster_of(131, 132), 7U);
  EXPECT_EQ(cluster_of(3, 4), 0U) << "a small GPU is one cluster";
}

TEST(GridPace, TheL2AnswersLaterTheMoreIsRequestedOfIt) {
  GpuSpec gpu;
  gpu.multiprocessors = 132;
  gpu.boost_clock_hz = 2e9;
  gpu.peak.fp16 = 1e15;
  LaunchWork work;
  work.copy_groups_in_flight = 2;
  work.operations[static_cast<size_t>(PeakRate::fp16)] = 1e9;
  const GridPace light = pace_of(gpu, work, 100, 1'600'000, 32768);
  work.operations[static_cast<size_t>(PeakRate::fp16)] = 1e8;  // the same bytes in less time
  const GridPace heavy = pace_of(gpu, work, 100, 1'600'000, 32768);
  EXPECT_LT(light.hit_ns, heavy.hit_ns);
  EXPECT_LT(light.cluster_spread, heavy.cluster_spread) << "clusters differ in the time that operands take";
  EXPECT_LT(heavy.hit_ns, 10 * light.hit_ns);
}

TEST(GridPace, LiesBetweenHeldTogetherAndLetApart) {
  const GridPace pace{.pace_spread = 0.01, .cluster_spread = 0.01, .precedence = 0.1, .capacity = 0.9};
  EXPECT_LT(held_together(pace).cluster_spread, pace.cluster_spread);
  EXPECT_GT(let_apart(pace).cluster_spread, pace.cluster_spread);
  EXPECT_GT(held_together(pace).capacity, pace.capacity);
  EXPECT_LT(let_apart(pace).capacity, pace.capacity);
}

TEST(ResidentBlocks, WhatDeviceMemoryHasYetToGiveDelaysAStep) {
  GridPace pace{.busy_ns = 400, .alone_ns = 400, .steps_in_flight = 4, .hit_ns = 600, .miss_ns = 300};
  pace.device_bytes_per_ns = 0.5;  // 1000 bytes take 2 µs
  EXPECT_EQ(turns_of(pace, 2, 2, 3, 0), (std::vector<uint32_t>{0, 1, 1, 0, 1, 0}));
}

TEST(ResidentBlocks, MultiprocessorsBeginAtDifferentTimesAndEveryTurnIsTaken) {
  const GridPace pace{.start_ns = 1, .start_spread_ns = 3, .pace_spread = 0.1};
  const std::vector<uint32_t> order = turns_of(pace, 16, 32, 10);
  EXPECT_EQ(order.size(), 320U);
  EXPECT_NE(order, turns_of({}, 16, 32, 10));
  EXPECT_EQ(order, turns_of(pace, 16, 32, 10)) << "the same on every run";
}

}  // namespace
}  // namespace tilescope
