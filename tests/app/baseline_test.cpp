// What is kept of a pinned result, and how the next result is compared with it.
#include "app/observed/baseline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace tilescope {
namespace {

Strings strings() { return *Strings::load(std::filesystem::path(TILESCOPE_SOURCE) / "assets" / "strings"); }

RunResult make_run(uint64_t sectors, uint64_t useful_bytes) {
  RunResult run;
  run.request.lab = "vector-add";
  run.request.rung = run.rung = "tiles-per-cta";
  run.config = run.request.config = default_config(*find_lab("vector-add"), DeviceKind::sim);
  run.observed = true;
  const auto line = [](Space space, AccessKind kind, uint64_t sector_count, uint64_t useful) {
    LineTraffic traffic;
    traffic.space = space;
    traffic.kind = kind;
    traffic.sectors = sector_count;
    traffic.useful_bytes = useful;
    return traffic;
  };
  run.traffic.lines = {line(Space::global, AccessKind::load, sectors, useful_bytes / 2),
                       line(Space::global, AccessKind::async_copy, 10, 0),
                       line(Space::global, AccessKind::store, sectors, useful_bytes / 2)};
  run.correctness.push_back({.buffer = "out", .pass = true});
  return run;
}

const ComparedFigure* figure(const std::vector<ComparedFigure>& figures, const std::string& key) {
  const auto found = std::ranges::find(figures, key, [](const ComparedFigure& one) { return std::string(one.key); });
  return found != figures.end() ? &*found : nullptr;
}

TEST(Baseline, TrafficIsKeptByKind) {
  RunResult run = make_run(100, 3200);
  LineTraffic atomic;
  atomic.space = Space::global;
  atomic.kind = AccessKind::reduction;
  atomic.sectors = 3;
  LineTraffic shared;
  shared.space = Space::shared;
  shared.wavefronts = 40;
  shared.passes = 10;
  run.traffic.lines.insert(run.traffic.lines.end(), {atomic, shared});
  const RunFigures figures = figures_of(run);
  EXPECT_EQ(figures.read, 110U * 32);
  EXPECT_EQ(figures.written, 100U * 32);
  EXPECT_EQ(figures.atomics, 3U * 32);
  EXPECT_EQ(figures.sectors, 213U);
  EXPECT_NEAR(*figures.useful, 3200.0 / (213 * 32), 1e-12);
  EXPECT_EQ(figures.wavefronts, 40U);
  EXPECT_EQ(figures.conflicts, 30U);
  EXPECT_EQ(figures.correct, true);
  EXPECT_FALSE(figures.time_ms) << "the simulator measures no time of a kernel";
}

TEST(Baseline, WhatWasNotObservedHasNoTraffic) {
  RunResult run = make_run(100, 3200);
  run.observed = false;
  run.correctness.clear();
  const RunFigures figures = figures_of(run);
  EXPECT_FALSE(figures.read || figures.sectors || figures.useful || figures.wavefronts || figures.correct);
}

TEST(Baseline, FiguresAreComparedByRatioAndSharesByPoints) {
  RunFigures before = figures_of(make_run(100, 6720)), now = figures_of(make_run(45, 3200));
  before.time_ms = 2;
  now.time_ms = 3;
  const auto figures = compare_figures(before, now);
  const ComparedFigure* sectors = figure(figures, "baseline.sectors");
  ASSERT_NE(sectors, nullptr);
  EXPECT_EQ(sectors->before, "210");
  EXPECT_EQ(sectors->now, "100");
  EXPECT_EQ(sectors->ratio, "0.48×");
  EXPECT_EQ(sectors->change, ComparedFigure::Change::better);
  EXPECT_EQ(sectors->badge, Badge::simulated);
  const ComparedFigure* time = figure(figures, "baseline.time");
  ASSERT_NE(time, nullptr);
  EXPECT_EQ(time->ratio, "1.50×");
  EXPECT_EQ(time->change, ComparedFigure::Change::worse);
  EXPECT_EQ(time->badge, Badge::measured);
  EXPECT_EQ(figure(figures, "baseline.useful")->ratio, "=");
  now.useful = 0.5;
  const auto useful = compare_figures(before, now);
  EXPECT_EQ(figure(useful, "baseline.useful")->ratio, "−50 pt");
  EXPECT_EQ(figure(useful, "baseline.useful")->change, ComparedFigure::Change::worse);
  EXPECT_EQ(figure(figures, "baseline.wavefronts"), nullptr) << "neither uses shared memory";
}

TEST(Baseline, AFigureThatOneSideLacksHasNoRatio) {
  RunFigures before = figures_of(make_run(100, 6400));
  RunFigures now = before;
  now.wavefronts = 12;
  const auto figures = compare_figures(before, now);
  const ComparedFigure* wavefronts = figure(figures, "baseline.wavefronts");
  ASSERT_NE(wavefronts, nullptr);
  EXPECT_EQ(wavefronts->before, "–");
  EXPECT_EQ(wavefronts->now, "12");
  EXPECT_TRUE(wavefronts->ratio.empty());
  EXPECT_EQ(wavefronts->change, ComparedFigure::Change::none);
}

TEST(Baseline, AFailureIsWorseThanAPass) {
  const RunFigures before = figures_of(make_run(100, 6400));
  RunFigures now = before;
  now.findings = 3;
  EXPECT_EQ(figure(compare_figures(before, now), "baseline.correct")->change, ComparedFigure::Change::worse);
  EXPECT_EQ(figure(compare_figures(now, before), "baseline.correct")->change, ComparedFigure::Change::better);
  EXPECT_EQ(figure(compare_figures(before, now), "baseline.correct")->now, "✗ 3");
}

TEST(Baseline, ItNamesLabRungAndTheValuesThatTheRungUses) {
  const RunResult run = make_run(100, 3200);
  const Baseline baseline = make_baseline(run);
  EXPECT_TRUE(is_baseline(baseline, run));
  const std::string name = baseline_name(baseline, strings()), values = baseline_values(baseline, strings());
  EXPECT_NE(name.find("Vector add"), std::string::npos) << name;
  EXPECT_NE(name.find(find_rung(*find_lab("vector-add"), "tiles-per-cta")->title.en), std::string::npos) << name;
  EXPECT_NE(values.find("TILES"), std::string::npos) << values;
  EXPECT_EQ(values.find("VEC"), std::string::npos) << "this rung does not use it: " << values;
  RunResult other = run;
  other.request.config.params["BLOCK"] = 512;
  EXPECT_FALSE(is_baseline(baseline, other));
}

}  // namespace
}  // namespace tilescope
