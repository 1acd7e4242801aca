// What the speed panel says, from a report made by hand.
#include "app/panels/speed_model.hpp"

#include <gtest/gtest.h>

#include "engine/lab.hpp"

namespace tilescope {
namespace {

TimingPoint point(int64_t size, double bandwidth, bool cold = true) {
  TimingPoint one;
  one.size = size;
  one.gigabytes_per_second = bandwidth;
  one.median_ms = 12.0 * static_cast<double>(size) / bandwidth * 1e-6;
  one.low_ms = one.median_ms / 1.25;
  one.high_ms = one.median_ms * 2;
  one.cold_l2 = cold;
  return one;
}

SpeedReport make_report() {
  SpeedReport report;
  report.lab = "vector-add";
  report.gpu = "NVIDIA H200";
  report.date = "2026-11-20T10:11:12Z";
  report.config.params = {{"BLOCK", 128}};
  report.cuda_version = 13000;
  report.sm_clock_min_mhz = report.sm_clock_max_mhz = 1980;
  report.size_name = "n";
  report.series = {
      {.name = "thread-per-element",
       .is_rung = true,
       .unavailable = {},
       .points = {point(1024, 3, false), point(1 << 20, 2000), point(1 << 27, 4000)}},
      {.name = "grid-stride",
       .is_rung = true,
       .unavailable = {},
       .points = {point(1024, 4, false), point(1 << 20, 2100), point(1 << 27, 4200)}},
      {.name = "copy", .is_rung = false, .unavailable = {}, .points = {point(1 << 20, 1900), point(1 << 27, 4100)}},
      {.name = "PyTorch", .is_rung = false, .unavailable = {}, .points = {point(1 << 27, 4160)}},
      {.name = "Triton", .is_rung = false, .unavailable = "it is not installed", .points = {}}};
  return report;
}

Strings load_strings(Language language) {
  auto strings = Strings::load(std::filesystem::path(TILESCOPE_SOURCE) / "assets/strings");
  EXPECT_TRUE(strings);
  strings->language = language;
  return std::move(*strings);
}

TEST(SpeedModel, TheLadderIsAtTheTimedSizeNearestByRatio) {
  EXPECT_EQ(make_ladder(make_report(), 98432).size, 1 << 20);
  EXPECT_EQ(make_ladder(make_report(), 3000).size, 1024);
  EXPECT_EQ(make_ladder(make_report(), int64_t{1} << 40).size, 1 << 27);
}

TEST(SpeedModel, TheLadderIsAShareOfTheBestReferenceAtThatSize) {
  const Ladder ladder = make_ladder(make_report(), 1 << 27);
  EXPECT_EQ(ladder.best, "PyTorch");
  EXPECT_TRUE(ladder.best_is_reference);
  ASSERT_EQ(ladder.rows.size(), 4U);  // Triton has no point
  EXPECT_NEAR(ladder.rows[1].percent, 100.0 * 4200 / 4160, 1e-9);
  EXPECT_EQ(make_ladder(make_report(), 1 << 20).best, "copy");  // PyTorch was not timed there
}

TEST(SpeedModel, WithoutAReferenceTheFastestRungIsAHundredPercent) {
  const Ladder ladder = make_ladder(make_report(), 1024);
  EXPECT_EQ(ladder.best, "grid-stride");
  EXPECT_FALSE(ladder.best_is_reference);
  EXPECT_NEAR(ladder.rows[0].percent, 75, 1e-9);
}

TEST(SpeedModel, AReportWithoutPointsHasNoLadderAndNoSizes) {
  SpeedReport report = make_report();
  for (auto& series : report.series) series.points.clear();
  EXPECT_TRUE(make_ladder(report, 1024).rows.empty());
  EXPECT_FALSE(sizes_of(report));
}

TEST(SpeedModel, TheIntervalOfTheTimeTurnsRoundForTheBandwidth) {
  const TimingPoint one = point(1 << 20, 2000);
  EXPECT_NEAR(low_speed(one, 2000), 1000, 1e-9);
  EXPECT_NEAR(high_speed(one, 2000), 2500, 1e-9);
}

TEST(SpeedModel, ALabWhoseFieldCountsOperationsHasTeraflops) {
  Lab lab;
  lab.sweep_size = "M";
  lab.sweep_with = {"N"};
  lab.flops = [](const Config& config) { return 2e6 * static_cast<double>(config.size("M") * config.size("N")); };
  SpeedReport report;
  report.config.sizes = {{"M", 1}, {"N", 7}};
  const TimingPoint one{.size = 1000, .median_ms = 2, .gigabytes_per_second = 5};
  report.series = {{.name = "rung", .points = {one}}};
  EXPECT_NEAR(largest_speed(lab, report), 5, 1e-9) << "GB/s unless the lab says otherwise";
  lab.speed_unit = SpeedUnit::teraflops;
  EXPECT_NEAR(largest_speed(lab, report), 1000, 1e-9) << "2e6 · 1000 · 1000 operations in 2 ms";
}

TEST(SpeedModel, ALabWhoseSweepShowsTimeHasItInTheUnitOfItsLongestPoint) {
  Lab lab;
  SpeedReport report;
  EXPECT_STREQ(quantity_of(lab, report).unit, "GB/s");
  lab.sweep_shows_time = true;
  report.series.push_back({.name = "one", .points = {{.size = 1, .median_ms = 0.012}, {.size = 2, .median_ms = 0.4}}});
  EXPECT_STREQ(quantity_of(lab, report).unit, "µs");
  EXPECT_NEAR(quantity_of(lab, report).of(report.series[0].points[0]), 12, 1e-9);
  report.series[0].points.push_back({.size = 3, .median_ms = 1.5});
  EXPECT_STREQ(quantity_of(lab, report).unit, "ms");
  EXPECT_NEAR(quantity_of(lab, report).largest(), 1.5, 1e-9);
}

TEST(SpeedModel, TheFooterNamesGpuClockCudaAndDate) {
  const Strings strings = load_strings(Language::en);
  EXPECT_EQ(provenance_text(make_report(), strings), "H200, 1,980 MHz, CUDA 13.0, BLOCK 128");
  EXPECT_EQ(method_text(make_report(), strings), "2026-11-20, median, L2 flushed; up to 2¹⁰ in graph batches, warm");
  SpeedReport cold = make_report();
  for (auto& series : cold.series)
    for (auto& one : series.points) one.cold_l2 = true;
  EXPECT_EQ(method_text(cold, strings), "2026-11-20, median, L2 flushed");
}

TEST(SpeedModel, RungsHaveTitlesWhereAllAreShort) {
  const Lab* lab = find_lab("vector-add");
  ASSERT_NE(lab, nullptr);
  const TimingSeries series{.name = "grid-stride", .is_rung = true, .unavailable = {}, .points = {}};
  EXPECT_EQ(series_title(*lab, series, load_strings(Language::en)), "grid-stride");
  EXPECT_EQ(series_title(*lab, series, load_strings(Language::zh)), "网格跨步循环");
}

}  // namespace
}  // namespace tilescope
