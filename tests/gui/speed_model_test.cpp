// What the speed panel says, from a hand-made report.
#include "app/observed/speed_model.hpp"

#include <gtest/gtest.h>

#include "engine/bench/recording.hpp"
#include "engine/bench/timed_place.hpp"
#include "engine/lab.hpp"

namespace tilescope {
namespace {

TimingPoint point(int64_t size, double bandwidth, bool cold = true) {
  TimingPoint one;
  one.size = size;
  one.useful_bytes = 12 * static_cast<uint64_t>(size);
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

const Lab& vector_add() { return *find_lab("vector-add"); }
Ladder ladder_at(const SpeedReport& report, int64_t size) { return make_ladder(vector_add(), report, size); }

TEST(SpeedModel, TheLadderIsAtTheTimedSizeNearestByRatio) {
  EXPECT_EQ(ladder_at(make_report(), 98432).size, 1 << 20);
  EXPECT_EQ(ladder_at(make_report(), 3000).size, 1024);
  EXPECT_EQ(ladder_at(make_report(), int64_t{1} << 40).size, 1 << 27);
}

TEST(SpeedModel, TheLadderIsAShareOfTheCopyAtEverySize) {
  const Ladder ladder = ladder_at(make_report(), 1 << 27);
  EXPECT_EQ(ladder.best, "copy") << "PyTorch is faster there, but a copy is what bytes can reach";
  EXPECT_TRUE(ladder.best_is_reference);
  ASSERT_EQ(ladder.rows.size(), 4U);  // Triton has no point
  EXPECT_NEAR(ladder.rows[1].percent, 100.0 * 4200 / 4100, 1e-9);
  EXPECT_EQ(ladder_at(make_report(), 1 << 20).best, "copy");
}

TEST(SpeedModel, WithoutACopyTheReferenceIsTheFastestAtTheLargestSizeOfThoseTimedEverywhere) {
  Lab lab = vector_add();
  std::erase_if(lab.references, [](const ReferenceSpec& one) { return one.implementation == "device_copy"; });
  SpeedReport report = make_report();
  for (TimingSeries& series : report.series)
    if (series.name == "copy") series.points.insert(series.points.begin(), point(1024, 1, false));
  // PyTorch, 4,160 at the largest size, was timed at no other size: it could not be the unit there.
  for (const int64_t size : timed_sizes(report)) EXPECT_EQ(make_ladder(lab, report, size).best, "copy") << size;
  for (TimingSeries& series : report.series)
    if (series.name == "copy") series.points.pop_back();
  EXPECT_EQ(make_ladder(lab, report, 1 << 27).best, "PyTorch") << "none was timed at all sizes";
}

TEST(SpeedModel, WithoutAReferenceTheFastestRungIsAHundredPercent) {
  const Ladder ladder = ladder_at(make_report(), 1024);  // no reference was timed there
  EXPECT_EQ(ladder.best, "grid-stride");
  EXPECT_FALSE(ladder.best_is_reference);
  EXPECT_NEAR(ladder.rows[0].percent, 75, 1e-9);
  SpeedReport alone = make_report();
  std::erase_if(alone.series, [](const TimingSeries& series) { return !series.is_rung; });
  for (const int64_t size : timed_sizes(alone)) EXPECT_EQ(ladder_at(alone, size).best, "grid-stride") << size;
}

TEST(SpeedModel, TheLadderIsAtTheLargestSizeUntilOneIsChosen) {
  ViewState view;
  EXPECT_EQ(ladder_size(view, vector_add(), make_report()), 1 << 27);
  view.ladder_sizes["vector-add"] = "1024";
  EXPECT_EQ(ladder_size(view, vector_add(), make_report()), 1024);
  view.ladder_sizes["vector-add"] = "2048";
  EXPECT_EQ(ladder_size(view, vector_add(), make_report()), 1 << 27) << "the report has no such size";
}

TEST(SpeedModel, OfShapesTheLargestMovesTheMostBytes) {
  const Lab& softmax = *find_lab("softmax");
  SpeedReport report = make_report();
  report.lab = softmax.name;
  report.config = default_config(softmax, DeviceKind::gpu);
  report.shapes = softmax.points;
  for (TimingSeries& series : report.series) {
    series.points.clear();
    for (size_t shape = 1; shape <= report.shapes.size(); ++shape)
      series.points.push_back(point(static_cast<int64_t>(shape), 1000));
  }
  const auto largest = largest_size(softmax, report);
  ASSERT_TRUE(largest);
  EXPECT_EQ(place_text(report, *largest), "8192 × 16384") << "not the one that is named last";
  EXPECT_EQ(brief_place_text(report, *largest), "8192 × 16384");
  EXPECT_EQ(brief_place_text(make_report(), 8192), "8,192");
  EXPECT_EQ(brief_place_text(make_report(), int64_t{1} << 30), "2³⁰");
}

/// A ladder has one unit at all sizes for which the shipped recordings have a time of it, and the ladder of the matrix
/// product says what its lesson says: each rung is faster than the one before.
TEST(SpeedModel, TheLaddersOfTheShippedRecordingsHaveOneUnit) {
  const Recordings recordings = read_recordings(std::filesystem::path(TILESCOPE_SOURCE) / "assets" / "recordings");
  ASSERT_FALSE(recordings.reports.empty());
  for (const SpeedReport& report : recordings.reports) {
    if (report.is_map) continue;
    const Lab& lab = *find_lab(report.lab);
    const std::string unit = make_ladder(lab, report, *largest_size(lab, report)).best;
    for (const int64_t size : timed_sizes(report)) EXPECT_EQ(make_ladder(lab, report, size).best, unit) << report.lab;
  }
  const Lab& matmul = *find_lab("matmul-fp32");
  const SpeedReport& report = *recordings.find(matmul.name);
  const auto speed_of_rung = [&](const char* rung, int64_t size) {
    return timed_point(report, rung, size)->gigabytes_per_second();
  };
  const int64_t opens_at = ladder_size(ViewState{}, matmul, report);
  EXPECT_GT(speed_of_rung("register-2d", opens_at), speed_of_rung("shared-tile", opens_at));
  EXPECT_LT(speed_of_rung("register-2d", 256), speed_of_rung("shared-tile", 256)) << "where the sliders' 200 led";
}

TEST(SpeedModel, AReportWithoutPointsHasNoLadderAndNoSizes) {
  SpeedReport report = make_report();
  for (auto& series : report.series) series.points.clear();
  EXPECT_TRUE(ladder_at(report, 1024).rows.empty());
  EXPECT_FALSE(largest_size(vector_add(), report));
  EXPECT_EQ(ladder_reference(vector_add(), report), nullptr);
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
  const TimingPoint one{.size = 1000, .median_ms = 2, .useful_bytes = 10'000'000};
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
  EXPECT_EQ(method_text(make_report(), strings), "2026-11-20, median, L2 flushed; up to 2¹⁰ in graph batches");
  SpeedReport cold = make_report();
  for (auto& series : cold.series)
    for (auto& one : series.points) one.cold_l2 = true;
  EXPECT_EQ(method_text(cold, strings), "2026-11-20, median, L2 flushed");
}

TEST(SpeedModel, RungsGoByTheirTitlesInBothLanguages) {
  const Lab* lab = find_lab("vector-add");
  ASSERT_NE(lab, nullptr);
  const TimingSeries series{.name = "grid-stride", .is_rung = true, .unavailable = {}, .points = {}};
  EXPECT_EQ(series_title(*lab, series, load_strings(Language::en)), "Grid-stride loop");
  EXPECT_EQ(series_title(*lab, series, load_strings(Language::zh)), "网格跨步循环");
  const TimingSeries gone{.name = "renamed-since", .is_rung = true, .unavailable = {}, .points = {}};
  EXPECT_EQ(series_title(*lab, gone, load_strings(Language::en)), "renamed-since");
}

}  // namespace
}  // namespace tilescope
