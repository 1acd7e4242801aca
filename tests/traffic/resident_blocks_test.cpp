#include "engine/traffic/block_order/resident_blocks.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tilescope {
namespace {

/// The slots in the order of their turns: each block takes `turns` turns whose data all hit, and no block follows it.
std::vector<uint32_t> turns_of(const GridPace& pace, uint32_t multiprocessors, uint32_t slots, uint32_t turns,
                               uint32_t missing_slot = UINT32_MAX) {
  const GpuClusters clusters(multiprocessors, pace.gpcs);
  ResidentBlocks running(pace, clusters, 1, slots);
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

TEST(ResidentBlocks, OlderBlocksOfAMultiprocessorGetAhead) {
  const std::vector<uint32_t> order = turns_of({.lead = {.least = 0.25, .most = 0.25}}, 1, 2, 4);
  // The older one starts turns at 0, 1.6, 3.2 and 4.8, the younger one at 0, 2.7, 5.3 and after the older one has
  // ended.
  EXPECT_EQ(order, (std::vector<uint32_t>{0, 1, 0, 1, 0, 0, 1, 1}));
}

TEST(ResidentBlocks, BlocksThatCompeteForTheArithmeticUnitsGetFurtherAhead) {
  GridPace pace{.busy_ns = 100, .computing_ns = 50, .lead = {.from = 0.2, .slope = 5, .most = 0.5}};
  const auto lead = [&](uint32_t blocks) { return processor_paces(pace, GpuClusters(1), blocks).front().lead; };
  EXPECT_EQ(lead(1), 0);
  EXPECT_NEAR(lead(2), 5 * (0.25 - 0.2), 1e-9) << "the other one of two, for half of the time";
  EXPECT_NEAR(lead(4), 0.5, 1e-9) << "and no more than `most`";
}

TEST(ResidentBlocks, OneThatCannotKeepAMultiprocessorBusyLeavesTheRestToTheOthers) {
  // A lone step takes twice the time for which it occupies the SM, so two do not slow each other down.
  const auto paces = processor_paces({.busy_ns = 1, .alone_ns = 2}, GpuClusters(1), 2);
  EXPECT_EQ(paces.front().full_rate, 1);
  EXPECT_EQ(paces.front().most_rate, 0.5);
}

TEST(ResidentBlocks, AMissHoldsABlockBackUnlessItsCopiesInFlightHideTheLatency) {
  const GridPace hidden{.busy_ns = 400, .alone_ns = 400, .steps_in_flight = 4, .hit_ns = 600, .miss_ns = 300};
  EXPECT_EQ(turns_of(hidden, 2, 2, 3, 0), (std::vector<uint32_t>{0, 1, 0, 1, 0, 1}));
  GridPace waiting = hidden;
  waiting.steps_in_flight = 2;  // (600 + 300) / 2 = 450 ns, 50 more than a step
  EXPECT_EQ(turns_of(waiting, 2, 2, 3, 0), (std::vector<uint32_t>{0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(turns_of(waiting, 2, 2, 3), (std::vector<uint32_t>{0, 1, 0, 1, 0, 1})) << "what hits does not wait";
}

TEST(ResidentBlocks, TheOtherBlocksOfAMultiprocessorHideAMiss) {
  const GridPace pace{.busy_ns = 400, .alone_ns = 400, .steps_in_flight = 2, .hit_ns = 600, .miss_ns = 300};
  EXPECT_EQ(turns_of(pace, 1, 2, 3, 0), (std::vector<uint32_t>{0, 1, 0, 1, 0, 1})) << "900 ns in 2 · 800";
}

TEST(ResidentBlocks, LatenciesWithATailAreNotEntirelyHidden) {
  GridPace pace{.busy_ns = 400, .alone_ns = 400, .steps_in_flight = 3, .hit_ns = 600, .miss_ns = 300};
  EXPECT_EQ(turns_of(pace, 2, 2, 3, 0), (std::vector<uint32_t>{0, 1, 0, 1, 0, 1}));
  pace.latency_tail_ns = 100;
  EXPECT_EQ(turns_of(pace, 2, 2, 3, 0), (std::vector<uint32_t>{0, 1, 1, 0, 1, 0}));
}

TEST(ResidentBlocks, WhoeverUsesWhatAnotherBlockHasRequestedWaitsUntilItIsThere) {
  const GridPace pace{.busy_ns = 100, .miss_ns = 300};
  ResidentBlocks running(pace, GpuClusters(2), 1, 2);
  for (const uint32_t slot : {0U, 1U}) running.seat(slot, slot);
  EXPECT_EQ(running.next().front(), 0U);
  const double arrival = running.work(0, 1000, 1000);
  EXPECT_EQ(arrival, running.now_ns() + 300);
  EXPECT_EQ(running.next().front(), 1U);
  EXPECT_EQ(running.work(1, 0, 1000, arrival), arrival) << "it is in the L2, but not yet";
  EXPECT_EQ(running.next().front(), 0U);
  EXPECT_EQ(running.now_ns(), arrival + 100);
}

TEST(ResidentBlocks, ClustersDifferInPaceAndTheirMultiprocessorsDoNot) {
  const GridPace pace{.cluster_spread = 0.1};
  constexpr uint32_t kEach = 16, kCount = 4 * kEach;
  const GpuClusters clusters(kCount);
  const std::vector<uint32_t> order = turns_of(pace, kCount, kCount, 2);
  ASSERT_EQ(order.size(), size_t{2} * kCount);
  // All begin at the same time; then each cluster's second turns follow one another.
  for (size_t first = kCount; first < order.size(); first += kEach)
    for (size_t i = first; i < first + kEach; ++i)
      EXPECT_EQ(clusters.gpc_of(order[i]), clusters.gpc_of(order[first])) << i;
}

TEST(GpuClusters, AreThoseOfTheGpuOrOfTheUsualSize) {
  const GpuClusters usual(132);
  EXPECT_EQ(usual.count(), 8U);
  EXPECT_EQ(usual.gpc_of(131), 7U);
  EXPECT_EQ(usual.in_cpc(0), 0U) << "not known";
  EXPECT_EQ(GpuClusters(4).count(), 1U) << "a small GPU is one cluster";
  const GpuClusters h100(132, std::vector<uint32_t>{16, 16, 16, 16, 16, 16, 18, 18});
  EXPECT_EQ(h100.gpc_of(113), 6U);
  EXPECT_EQ(h100.gpc_of(114), 7U);
  EXPECT_EQ(h100.in_gpc(114), 18U);
  uint32_t of_four = 0;
  for (uint32_t sm = 0; sm < 132; ++sm) of_four += h100.in_cpc(sm) == 4 ? 1 : 0;
  EXPECT_EQ(of_four, 24U) << "as many SMs of an H100 are faster where the L2 is the limit";
  EXPECT_EQ(GpuClusters(100, std::vector<uint32_t>{16, 16}).in_gpc(0), 0U) << "a list of other SMs";
}

TEST(ProcessorPaces, WhereTheL2IsTheLimitFewerNeighboursLeaveMore) {
  GridPace pace{.busy_ns = 100, .step_bytes = 16384, .steps_in_flight = 4};
  pace.l2 = {.cpc_bytes_per_ns = 400, .gpc_bytes_per_ns = 1e9, .queued_from_bytes = 100'000};
  const GpuClusters clusters(16, std::vector<uint32_t>{16});
  const auto few = processor_paces(pace, clusters, 1), many = processor_paces(pace, clusters, 2);
  EXPECT_EQ(few[0].full_rate, 0.01) << "64 KiB in flight wait for the latency";
  EXPECT_NEAR(many[0].full_rate, 400.0 / 6 / 16384, 1e-9);
  EXPECT_NEAR(many[4].full_rate, 400.0 / 4 / 16384, 1e-9) << "the third pair of SMs";
}

TEST(ProcessorPaces, TheLatencyLimitsSeveralBlocksThatHaveLittleInFlight) {
  GridPace pace{.busy_ns = 100, .step_bytes = 16384, .steps_in_flight = 1};
  pace.l2 = {.latency_ns = 1000, .sm_bytes_per_ns = 1e6};
  EXPECT_NEAR(processor_paces(pace, GpuClusters(1), 2).front().most_rate, 0.001, 1e-6);
  EXPECT_EQ(processor_paces(pace, GpuClusters(1), 1).front().most_rate, 0.01) << "alone_ns says how long it takes";
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
  EXPECT_GT(light.cluster_spread, heavy.cluster_spread) << "clusters differ in the time that tensor cores take";
  EXPECT_LT(heavy.hit_ns, 10 * light.hit_ns);
}

TEST(GridPace, LiesBetweenHeldTogetherAndLetApart) {
  const GridPace pace{.pace_spread = 0.01, .cluster_spread = 0.01, .lead = {.least = 0.1}, .capacity = 0.9};
  EXPECT_LT(held_together(pace).cluster_spread, pace.cluster_spread);
  EXPECT_GT(let_apart(pace).cluster_spread, pace.cluster_spread);
  EXPECT_LT(held_together(pace).lead.least, pace.lead.least);
  EXPECT_GT(let_apart(pace).lead.least, pace.lead.least);
  EXPECT_GT(held_together(pace).capacity, pace.capacity);
  EXPECT_LT(let_apart(pace).capacity, pace.capacity);
}

TEST(GridPace, ClustersDifferLessAtASteadyClock) {
  const GridPace pace{.busy_ns = 100, .pace_spread = 0.01, .cluster_spread = 0.01, .capacity = 0.9};
  const GridPace steady = at_steady_clock(pace);
  EXPECT_LT(steady.cluster_spread, pace.cluster_spread / 2);
  EXPECT_GT(steady.cluster_spread, 0);
  GridPace same = steady;
  same.cluster_spread = pace.cluster_spread;
  EXPECT_EQ(numbers_of(same), numbers_of(pace)) << "nothing else differs";
}

TEST(ResidentBlocks, WhatDeviceMemoryHasYetToGiveDelaysAStep) {
  GridPace pace{.busy_ns = 400, .alone_ns = 400, .steps_in_flight = 4, .hit_ns = 600, .miss_ns = 300};
  pace.device_bytes_per_ns = 0.5;  // 1000 bytes take 2 µs, which is five steps
  EXPECT_EQ(turns_of(pace, 2, 2, 3, 0), (std::vector<uint32_t>{0, 1, 1, 1, 0, 0}));
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
