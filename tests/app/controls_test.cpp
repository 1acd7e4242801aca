// The arithmetic behind the controls, the palette and the areas of the window; no window needed.
#include <gtest/gtest.h>

#include "app/palette.hpp"
#include "app/panels/controls_parts.hpp"
#include "app/screen.hpp"

namespace tilescope {
namespace {

TEST(ParseCount, TakesWhatPeopleType) {
  EXPECT_EQ(parse_count("98432"), 98432);
  EXPECT_EQ(parse_count("98,432"), 98432);
  EXPECT_EQ(parse_count(" 1_000 "), 1000);
  EXPECT_EQ(parse_count("2^20"), 1048576);
  EXPECT_EQ(parse_count("96k"), 96000);
  EXPECT_EQ(parse_count("3M"), 3000000);
  EXPECT_EQ(parse_count("1e6"), 1000000);
  EXPECT_EQ(parse_count("-4"), -4);
}

TEST(ParseCount, RefusesEverythingElse) {
  for (const char* text : {"", " ", "abc", "12x", "2^", "2^x", "^3", "2^20k", "1e400", "nan", "inf", "k"})
    EXPECT_FALSE(parse_count(text)) << text;
}

TEST(RungsUsing, NamesRangesAsTheLearnerCountsThem) {
  const Lab& lab = *find_lab("vector-add");
  EXPECT_EQ(rungs_using(lab, "BLOCK"), "1–5");
  EXPECT_EQ(rungs_using(lab, "TILES"), "3–4");
  EXPECT_EQ(rungs_using(lab, "VEC"), "5");
  EXPECT_EQ(rungs_using(lab, "NO_SUCH"), "");
  EXPECT_EQ(rung_numbers(lab, [](const Rung& rung) { return rung.name != "tile-per-cta"; }), "1, 3–5");
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
  EXPECT_EQ(layout.source.right, 840);
  EXPECT_EQ(layout.status.top, 976);
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
