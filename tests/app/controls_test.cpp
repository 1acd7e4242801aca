// The arithmetic behind the controls, the palette and the areas of the window; needs no window.
#include <gtest/gtest.h>

#include "app/panels/controls/controls_parts.hpp"
#include "app/window/palette.hpp"
#include "app/window/screen.hpp"

namespace tilescope {
namespace {

TEST(RungsUsing, NamesRangesAsTheLearnerCountsThem) {
  const Lab& lab = *find_lab("vector-add");
  EXPECT_EQ(rungs_using(lab, "BLOCK"), "1–5");
  EXPECT_EQ(rungs_using(lab, "TILES"), "3–4, 8");
  EXPECT_EQ(rungs_using(lab, "VEC"), "5");
  EXPECT_EQ(rungs_using(lab, "NO_SUCH"), "");
  EXPECT_EQ(rung_numbers(lab, [](const Rung& rung) { return rung.name != "tile-per-cta"; }), "1, 3–8");
  Lab scattered = lab;
  scattered.rungs[1].params.clear();
  EXPECT_EQ(rungs_using(scattered, "BLOCK"), "1, 3–5");
}

TEST(Palette, FindsLettersInOrder) {
  EXPECT_GE(match_score("Vector add", "va"), 0);
  EXPECT_GE(match_score("Vector add", "VECADD"), 0);
  EXPECT_EQ(match_score("Vector add", "addv"), -1);
  EXPECT_EQ(match_score("Vector add", ""), 0);
  EXPECT_LT(match_score("Vector add", "vec"), match_score("16-byte vector loads", "vec"));
}

class Areas : public ::testing::TestWithParam<std::tuple<float, float, float>> {};

TEST_P(Areas, MeetAndNoneIsTooSmall) {
  const auto [width, height, scale] = GetParam();
  ViewState view;
  view.scale = scale;
  const Layout layout = lay_out(view, width * scale, height * scale);
  EXPECT_EQ(layout.rail.right, layout.view.left);
  EXPECT_EQ(layout.view.right, layout.controls.left);
  EXPECT_EQ(layout.controls.right, width * scale);
  EXPECT_EQ(layout.tabs.bottom, layout.view.top);
  EXPECT_EQ(layout.source.bottom, layout.status.top);
  EXPECT_EQ(layout.status.bottom, height * scale);
  EXPECT_GE(layout.view.width(), 480 * scale);
  EXPECT_GE(layout.view.height(), 250 * scale);
  EXPECT_GE(layout.source.height(), 100 * scale);
  EXPECT_GE(layout.speed.width(), 320 * scale);
  EXPECT_TRUE(layout.stacked || layout.source.right == layout.speed.left);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Areas,
                         ::testing::Values(std::tuple(1600.0F, 1000.0F, 1.0F), std::tuple(1280.0F, 800.0F, 1.0F),
                                           std::tuple(1600.0F, 1000.0F, 2.0F), std::tuple(2560.0F, 1440.0F, 1.0F),
                                           std::tuple(1024.0F, 640.0F, 1.5F)));

TEST(LayOut, IsThatOfTheDesignAt1600By1000) {
  ViewState view;
  const Layout layout = lay_out(view, 1600, 1000);
  EXPECT_FALSE(layout.stacked);
  EXPECT_EQ(layout.view.left, 200);
  EXPECT_EQ(layout.view.top, 88);
  EXPECT_EQ(layout.view.right, 1304);
  EXPECT_EQ(layout.view.bottom, 608);
  EXPECT_EQ(layout.source.right, 888);
  EXPECT_EQ(layout.status.top, 976);
}

TEST(LayOut, WhatWasNotDraggedGrowsWithTheWindow) {
  ViewState view;
  const Layout usual = lay_out(view, 1600, 1000), wide = lay_out(view, 1920, 1080), large = lay_out(view, 2560, 1600);
  EXPECT_GE(wide.source.width(), 1000) << "a hundred columns";
  EXPECT_GT(large.source.width(), wide.source.width());
  EXPECT_GT(large.speed.width(), 1.5F * usual.speed.width());
  EXPECT_GT(large.source.height(), 1.5F * usual.source.height());
  EXPECT_GT(large.view.height(), large.source.height());
}

TEST(LayOut, WhatWasDraggedStaysAsItIs) {
  ViewState view;
  view.source_width = 640;
  view.bottom_height = 368;
  const Layout layout = lay_out(view, 2560, 1600);
  EXPECT_EQ(layout.source.width(), 640);
  EXPECT_EQ(layout.source.height(), 368);
}

TEST(LayOut, TheLowerPartCanBeHiddenAndTheSourceTakeTheMiddle) {
  for (const float width : {1280.0F, 1600.0F}) {
    ViewState view;
    view.lower_hidden = true;
    const Layout hidden = lay_out(view, width, 1000);
    EXPECT_EQ(hidden.source.height(), 0);
    EXPECT_EQ(hidden.view.bottom, hidden.strip.top);
    EXPECT_EQ(hidden.strip.bottom, hidden.status.top);
    view.lower_hidden = false;
    view.source_maximised = true;
    const Layout maximised = lay_out(view, width, 1000);
    EXPECT_EQ(maximised.view.height(), 0);
    EXPECT_EQ(maximised.source.top, maximised.tabs.bottom);
    EXPECT_EQ(maximised.source.bottom, maximised.status.top);
    EXPECT_EQ(maximised.source.width(), maximised.tabs.width());
  }
}

TEST(LayOut, ANarrowWindowMakesSpeedATab) {
  ViewState view;
  const Layout layout = lay_out(view, 1280, 800);
  EXPECT_TRUE(layout.stacked);
  EXPECT_EQ(layout.bottom_tabs.bottom, layout.source.top);
}

TEST(LayOut, ASmallWindowDoesNotForgetWhereTheSplittersWere) {
  ViewState view;
  view.bottom_height = 500;
  lay_out(view, 1280, 800);
  EXPECT_EQ(view.bottom_height, 500);
}

}  // namespace
}  // namespace tilescope
