// Facts about the plots: which ticks an axis gets, how labels spread, and that texts never overlap.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "app/draw/plots/axis.hpp"
#include "app/draw/plots/label_spread.hpp"
#include "app/draw/plots/plot.hpp"
#include "tests/gui/shared_fonts.hpp"

namespace tilescope {
namespace {

using plots::AxisRange, plots::AxisScale, plots::Tick;

std::vector<std::string> labels_of(const std::vector<Tick>& ticks) {
  std::vector<std::string> labels;
  for (const Tick& tick : ticks) labels.push_back(tick.label);
  return labels;
}

TEST(Axis, PowersOfTwoAreWrittenRaised) {
  EXPECT_EQ(plots::power_of_two_text(10), "2¹⁰");
  EXPECT_EQ(plots::power_of_two_text(28), "2²⁸");
  EXPECT_EQ(plots::power_of_two_text(-3), "2⁻³");
}

TEST(Axis, SizesArePowersOrDigitsWithSeparators) {
  EXPECT_EQ(plots::size_text(131072), "2¹⁷");
  EXPECT_EQ(plots::size_text(98432), "98,432");
  EXPECT_EQ(plots::size_text(512), "512");
}

TEST(Axis, ASweepGetsEveryFourthPowerWhereFiveLabelsFit) {
  const AxisRange range{AxisScale::log2, 1024, 1 << 28};
  EXPECT_EQ(labels_of(plots::ticks_of(range, 5)), (std::vector<std::string>{"2¹⁰", "2¹⁴", "2¹⁸", "2²²", "2²⁶"}));
}

TEST(Axis, BandwidthGetsThousands) {
  const AxisRange range{AxisScale::linear, 0, 5000};
  EXPECT_EQ(labels_of(plots::ticks_of(range, 6)),
            (std::vector<std::string>{"0", "1,000", "2,000", "3,000", "4,000", "5,000"}));
}

TEST(Axis, SmallPowersStayDigits) {
  const AxisRange range{AxisScale::log2, 1, 32};
  EXPECT_EQ(labels_of(plots::ticks_of(range, 6)), (std::vector<std::string>{"1", "2", "4", "8", "16", "32"}));
}

TEST(Axis, StepsBelowOneGetTheDecimalsTheyNeed) {
  const AxisRange range{AxisScale::linear, 0, 0.2};
  EXPECT_EQ(labels_of(plots::ticks_of(range, 5)), (std::vector<std::string>{"0.00", "0.05", "0.10", "0.15", "0.20"}));
}

TEST(Axis, ALogAxisWithoutAnyPowerInsideStillGetsTicks) {
  const AxisRange range{AxisScale::log2, 1100, 1900};
  EXPECT_GE(plots::ticks_of(range, 5).size(), 2U);
}

TEST(Axis, AnEmptyRangeHasNoTicks) {
  EXPECT_TRUE(plots::ticks_of({AxisScale::linear, 3, 3}, 5).empty());
  EXPECT_TRUE(plots::ticks_of({AxisScale::linear, std::nan(""), 3}, 5).empty());
}

TEST(Axis, LabelsKeepTheirDistanceAtEveryLength) {
  const auto extent = [](std::string_view text) { return 7.0 * static_cast<double>(text.size()); };
  for (const AxisRange range : {AxisRange{AxisScale::log2, 1024, 1 << 28}, AxisRange{AxisScale::linear, 0, 5000}}) {
    for (double length = 40; length <= 1200; length += 7) {
      double end = -1e9;
      for (const Tick& tick : plots::fitting_ticks(range, length, 8, extent)) {
        const double centre = range.fraction(tick.value) * length, half = extent(tick.label) / 2;
        EXPECT_GE(centre - half, end) << tick.label << " at length " << length;
        end = centre + half + 8;
      }
    }
  }
}

TEST(Axis, LimitsAreTidy) {
  EXPECT_EQ(plots::tidy_limit(4391), 5000);
  EXPECT_EQ(plots::tidy_limit(5000), 5000);
  EXPECT_NEAR(plots::tidy_limit(0.031), 0.04, 1e-12);
  EXPECT_EQ(plots::tidy_limit(0), 1);
}

TEST(Axis, FractionAndValueAreInverse) {
  const AxisRange range{AxisScale::log2, 1024, 1 << 28};
  EXPECT_DOUBLE_EQ(range.fraction(1 << 19), 0.5);
  EXPECT_NEAR(range.value(range.fraction(98432)), 98432, 1e-6);
}

// ---- label spreading ----

TEST(LabelSpread, LabelsThatAreFarApartStayWhereTheyWantToBe) {
  const std::vector<float> wanted{100, 10, 50};
  EXPECT_EQ(plots::spread_labels(wanted, 18, 0, 200), wanted);
}

TEST(LabelSpread, TwoAtTheSamePlaceMoveApartEqually) {
  EXPECT_EQ(plots::spread_labels(std::vector<float>{50, 50}, 18, 0, 200), (std::vector<float>{41, 59}));
}

TEST(LabelSpread, AtTheEdgeTheyMoveInward) {
  EXPECT_EQ(plots::spread_labels(std::vector<float>{2, 3}, 18, 0, 200), (std::vector<float>{0, 18}));
  EXPECT_EQ(plots::spread_labels(std::vector<float>{199, 200}, 18, 0, 200), (std::vector<float>{182, 200}));
}

TEST(LabelSpread, NeverOverlapsAndKeepsTheOrder) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const size_t count = 1 + random() % 9;
    std::vector<float> wanted(count);
    for (float& value : wanted) value = static_cast<float>(random() % 300);
    const std::vector<float> placed = plots::spread_labels(wanted, 18, 0, 300);
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return placed[a] < placed[b]; });
    for (size_t i = 0; i < count; ++i) {
      EXPECT_GE(placed[i], 0);
      EXPECT_LE(placed[i], 300);
      if (i == 0) continue;
      EXPECT_GE(placed[order[i]] - placed[order[i - 1]], 18 - 1e-3F);
      EXPECT_LE(wanted[order[i - 1]], wanted[order[i]]);
    }
  }
}

TEST(LabelSpread, WhenNotAllFitThePriorityDecides) {
  EXPECT_EQ(plots::keep_labels(std::vector<int>{0, 2, 1, 0}, 2), (std::vector<size_t>{1, 2}));
  EXPECT_EQ(plots::keep_labels(std::vector<int>{0, 0, 0}, 2), (std::vector<size_t>{0, 1}));
  EXPECT_EQ(plots::keep_apart(std::vector<float>{0, 10, 20, 30}, std::vector<int>{0, 2, 0, 0}, 16),
            (std::vector<size_t>{1, 3}));
}

// ---- drawn plots, without a window ----

struct PlotCase {
  float width, height;
  bool bars;
};

class DrawnPlots : public ::testing::Test {
 protected:
  void SetUp() override {
    fonts_ = testing::open_context(1, "");
    ImGui::GetIO().DisplaySize = {1600, 1000};
  }
  void TearDown() override { ImGui::DestroyContext(); }

  template <class Items>
  void draw_plot(ImVec2 size, const Items& items) {
    ImGui::GetIO().DeltaTime = 1 / 60.0F;
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({1600, 1000});
    ImGui::Begin("plots", nullptr, ImGuiWindowFlags_NoDecoration);
    ImGui::SetCursorScreenPos({20, 20});
    plots::SetStyle({dark_theme(), fonts_, 1});
    plots::BeginPlot("plot", size);
    items();
    plots::EndPlot();
    ImGui::End();
    ImGui::Render();
  }
  void draw(const PlotCase& size, ImVec2 mouse) {
    ImGui::GetIO().MousePos = mouse;
    draw_plot({size.width, size.height}, size.bars ? draw_bars : draw_lines);
  }

  static void draw_lines() {
    plots::SetupAxis(plots::Axis_X1, "n");
    plots::SetupAxisScale(plots::Axis_X1, plots::Scale_Log2);
    plots::SetupAxisLimits(plots::Axis_X1, 1024, 1 << 28);
    plots::SetupAxis(plots::Axis_Y1, "GB/s");
    plots::SetupAxisLimits(plots::Axis_Y1, 0, 5000);
    plots::SetupLabelColumn("at 2²⁸");
    const char* names[] = {"thread-per-element", "tile-per-cta", "tiles-per-cta", "grid-stride",
                           "vector-loads",       "copy",         "PyTorch",       "Triton"};
    for (int line = 0; line < 8; ++line) {
      std::vector<double> xs, ys;
      for (int exponent = 10; exponent <= 28; exponent += 2) {
        xs.push_back(std::exp2(exponent));
        ys.push_back(4300.0 / (1 + std::exp2(20 - exponent)) - 20 * line);
      }
      plots::SetNextLabel(
          {.value = plots::number_text(ys.back(), 1), .note = {}, .priority = line == 2, .emphasis = line == 2});
      plots::SetNextLineStyle(dark_theme().muted, 1.25F);
      plots::SetNextMarkerStyle(plots::rung_marker(line));
      plots::PlotLine(names[line], xs.data(), ys.data(), static_cast<int>(xs.size()));
    }
    plots::PlotHairline("n = 98,432", 98432, dark_theme().separator);
    plots::PlotRing(65536, 250, dark_theme().accent, "250");
  }

  static void draw_bars() {
    plots::SetupAxis(plots::Axis_X1, "", plots::AxisFlags_NoTickLabels);
    plots::SetupAxisLimits(plots::Axis_X1, 0, 105);
    plots::SetupAxis(plots::Axis_Y1, "% of PyTorch at n = 134,217,728",
                     plots::AxisFlags_NoTickLabels | plots::AxisFlags_Invert);
    plots::SetupAxisLimits(plots::Axis_Y1, -0.5, 7.5);
    plots::SetupLabelColumn("%", "GB/s");
    for (int row = 0; row < 8; ++row) {
      const double value = 93 + row, position = row;
      plots::SetNextLabel({.value = "98", .note = "4,157", .priority = row == 2, .emphasis = row == 2});
      plots::SetNextLineStyle(dark_theme().muted, 1);
      plots::PlotBars("One thread per element", &value, &position, 1, 0.5, plots::BarsFlags_Horizontal);
    }
    plots::PlotHairline("", 100, dark_theme().reference, true);
  }

  Fonts fonts_;
};

class DrawnPlot : public DrawnPlots, public ::testing::WithParamInterface<PlotCase> {};

TEST_P(DrawnPlot, NoTextLiesOnAnotherAndAllLiesInside) {
  const PlotCase size = GetParam();
  for (const ImVec2 mouse : {ImVec2(-1, -1), ImVec2(20 + size.width / 2, 20 + size.height / 2)}) {
    draw(size, mouse);
    const auto& texts = plots::TextBoxes();
    ASSERT_FALSE(texts.empty());
    for (size_t i = 0; i < texts.size(); ++i) {
      const auto& a = texts[i];
      EXPECT_GE(a.low.x, 19.5F) << a.text;
      EXPECT_GE(a.low.y, 19.5F) << a.text;
      EXPECT_LE(a.high.x, 20 + size.width + 4.5F) << a.text;
      EXPECT_LE(a.high.y, 20 + size.height + 0.5F) << a.text;
      for (size_t k = 0; k < i; ++k) {
        const auto& b = texts[k];
        const bool apart = a.high.x <= b.low.x || b.high.x <= a.low.x || a.high.y <= b.low.y || b.high.y <= a.low.y;
        EXPECT_TRUE(apart) << '\'' << a.text << "' lies on '" << b.text << '\'';
      }
    }
  }
}

TEST_P(DrawnPlot, TheSelectedSeriesKeepsItsLabel) {
  const PlotCase size = GetParam();
  draw(size, {-1, -1});
  const auto& texts = plots::TextBoxes();
  const std::string wanted = size.bars ? "One thread" : "tiles-per-c";
  const bool shown =
      std::any_of(texts.begin(), texts.end(), [&](const auto& box) { return box.text.starts_with(wanted); });
  EXPECT_TRUE(shown || plots::PlotArea().high.x - plots::PlotArea().low.x < 220);
}

std::vector<PlotCase> sizes() {
  std::vector<PlotCase> cases;
  for (const bool bars : {false, true})
    for (const float width : {312.0F, 360.0F, 416.0F, 520.0F, 700.0F, 1100.0F})
      for (const float height : {90.0F, 140.0F, 220.0F, 268.0F, 500.0F}) cases.push_back({width, height, bars});
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Sizes, DrawnPlot, ::testing::ValuesIn(sizes()), [](const auto& one) {
  return fmt::format("{}{}x{}", one.param.bars ? "Bars" : "Lines", static_cast<int>(one.param.width),
                     static_cast<int>(one.param.height));
});

TEST_F(DrawnPlots, BarsWhoseLabelsAreReservedInEachOthersPlotsHaveOneWidth) {
  const std::array<const char*, 2> names{"sum", "One thread per element"};
  const std::array<const char*, 2> notes{"4,157", "22.4"};
  const auto area_of = [&](size_t drawn, bool reserve) {
    draw_plot({500, 200}, [&] {
      plots::SetupAxis(plots::Axis_X1, "", plots::AxisFlags_NoTickLabels);
      plots::SetupAxisLimits(plots::Axis_X1, 0, 105);
      plots::SetupAxis(plots::Axis_Y1, "%", plots::AxisFlags_NoTickLabels | plots::AxisFlags_Invert);
      plots::SetupAxisLimits(plots::Axis_Y1, -0.5, 0.5);
      const double value = 93, position = 0;
      plots::SetNextLabel({.value = "93", .note = notes[drawn]});
      plots::PlotBars(names[drawn], &value, &position, 1, 0.5, plots::BarsFlags_Horizontal);
      if (reserve) plots::ReserveBarLabel(names[1 - drawn], {.value = "93", .note = notes[1 - drawn]});
    });
    return plots::PlotArea();
  };
  EXPECT_LT(area_of(0, false).low.x, area_of(1, false).low.x - 50);
  EXPECT_EQ(area_of(0, true).low.x, area_of(1, true).low.x);
  EXPECT_EQ(area_of(0, true).high.x, area_of(1, true).high.x);
}

TEST_F(DrawnPlots, HoverFindsTheNearestPointOfTheNearestLine) {
  draw({700, 400, false}, {-1, -1});
  const plots::Area area = plots::PlotArea();
  // The lowest line is the eighth; its last point, 2²⁸, is at the right edge.
  const double value = 4300.0 / (1 + std::exp2(-8)) - 140;
  const float y = area.high.y - static_cast<float>(value / 5000) * (area.high.y - area.low.y);
  draw({700, 400, false}, {area.high.x, y + 3});
  ASSERT_TRUE(plots::HoveredItem());
  EXPECT_EQ(plots::HoveredItem()->item, 7);
  EXPECT_EQ(plots::HoveredItem()->point, 9);
  EXPECT_FALSE(plots::HoveredItem()->on_label);
}

TEST_F(DrawnPlots, ABrokenLineHasOneSegmentLess) {
  const double xs[] = {1, 2, 3, 4}, ys[] = {1, 2, 1, 2};
  const auto triangles = [&](const std::vector<int>& breaks, int flags) {
    draw_plot({700, 400}, [&] {
      plots::SetupAxisLimits(plots::Axis_X1, 0, 5);
      plots::SetupAxisLimits(plots::Axis_Y1, 0, 3);
      plots::SetNextLineStyle(dark_theme().muted, 1.25F);
      plots::SetNextBreaks(breaks);
      plots::PlotLine("line", xs, ys, 4, flags);
    });
    return ImGui::GetDrawData()->TotalIdxCount;
  };
  for (const int flags : {plots::LineFlags_None, plots::LineFlags_Dashed}) {
    const int whole = triangles({}, flags), one = triangles({2}, flags), two = triangles({1, 2}, flags);
    EXPECT_LT(one, whole);
    EXPECT_LT(two, one);
  }
  EXPECT_EQ(triangles({1}, plots::LineFlags_None), triangles({3}, plots::LineFlags_None));
}

TEST_F(DrawnPlots, AwayFromEveryLineNothingIsHovered) {
  draw({700, 400, false}, {-1, -1});
  const plots::Area area = plots::PlotArea();
  draw({700, 400, false}, {area.low.x + 20, area.low.y + 20});
  EXPECT_TRUE(plots::IsPlotHovered());
  EXPECT_FALSE(plots::HoveredItem());
}

}  // namespace
}  // namespace tilescope
