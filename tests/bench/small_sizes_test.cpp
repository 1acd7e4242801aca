#include "engine/bench/small_sizes.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TimingPoint point(int64_t size, double milliseconds, double spread) {
  return {.size = size, .median_ms = milliseconds, .low_ms = milliseconds - spread, .high_ms = milliseconds + spread};
}

SpeedReport make_report() {
  SpeedReport report;
  report.series = {{.name = "ours",
                    .is_rung = true,
                    .unavailable = {},
                    .points = {point(256, 0.010, 0.001), point(512, 0.020, 0.001)}},
                   {.name = "other",
                    .is_rung = true,
                    .unavailable = {},
                    .points = {point(256, 0.0115, 0.001), point(512, 0.030, 0.001)}},
                   {.name = "PyTorch", .is_rung = false, .unavailable = {}, .points = {point(512, 0.015, 0.0001)}},
                   {.name = "Triton", .is_rung = false, .unavailable = "it is not installed", .points = {}}};
  return report;
}

Lab make_lab() {
  Lab lab;
  lab.small_sizes = {256, 512, 1024};
  return lab;
}

TEST(SmallSizes, TheBestOfASizeIsTheShortestAndWhatIsAsGoodInsideTheNoise) {
  const SpeedReport report = make_report();
  const SmallSizesTable table = make_small_sizes(make_lab(), report);
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_TRUE(table.rows[0].best[0]);
  EXPECT_TRUE(table.rows[1].best[0]) << "10.5 µs is inside both intervals";
  EXPECT_FALSE(table.rows[0].best[1]);
  EXPECT_TRUE(table.rows[2].best[1]);
}

TEST(SmallSizes, WhatWasNotTimedHasNoTimeAndIsNotTheBest) {
  const SpeedReport report = make_report();
  const SmallSizesTable table = make_small_sizes(make_lab(), report);
  EXPECT_EQ(table.rows[2].times[0], nullptr);
  EXPECT_FALSE(table.rows[2].best[0]);
  EXPECT_EQ(table.rows[3].unavailable, "it is not installed");
  for (const SmallSizesRow& row : table.rows) EXPECT_EQ(row.times[2], nullptr) << "nobody was timed at 1,024";
  EXPECT_FALSE(table.empty());
}

TEST(SmallSizes, AReportOfOtherSizesGivesAnEmptyTable) {
  SpeedReport report = make_report();
  for (TimingSeries& series : report.series)
    for (TimingPoint& one : series.points) one.size += 1 << 20;
  EXPECT_TRUE(make_small_sizes(make_lab(), report).empty());
}

TEST(SmallSizes, AreTimedWithTheSweep) {
  const Lab* lab = find_lab("grouped-order");
  ASSERT_NE(lab, nullptr);
  const auto sweep = sweep_of(*lab);
  EXPECT_TRUE(std::is_sorted(sweep.begin(), sweep.end()));
  for (const int64_t size : lab->small_sizes) EXPECT_EQ(std::count(sweep.begin(), sweep.end(), size), 1) << size;
}

}  // namespace
}  // namespace tilescope
