// Texts are readable on the surfaces that they are drawn on, in both themes.
#include "app/draw/theme.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

struct Named {
  const char* name;
  ImU32 colour;
};

std::vector<Named> text_roles(const Theme& theme) {
  return {{"text", theme.text},
          {"muted", theme.muted},
          {"accent", theme.accent},
          {"ok", theme.ok},
          {"error", theme.error},
          {"reference", theme.reference},
          {"keyword", theme.syntax_keyword},
          {"type", theme.syntax_type},
          {"number", theme.syntax_number},
          {"comment", theme.syntax_comment},
          {"string", theme.syntax_string},
          {"builtin", theme.syntax_builtin}};
}

class Themes : public ::testing::TestWithParam<bool> {
 protected:
  const Theme& theme() const { return GetParam() ? dark_theme() : light_theme(); }
};

TEST_P(Themes, TextReadsOnWindowAndPanel) {
  for (const Named& role : text_roles(theme()))
    for (const ImU32 surface : {theme().window, theme().panel})
      EXPECT_GE(contrast(role.colour, surface), 4.5F) << role.name;
}

TEST_P(Themes, TextReadsOnTheSelectedRow) {
  EXPECT_GE(contrast(theme().text, theme().raised), 4.5F);
  EXPECT_GE(contrast(theme().muted, theme().raised), 4.5F);
}

TEST_P(Themes, BadgesRead) {
  EXPECT_GE(contrast(theme().on_accent, theme().accent), 4.5F);
  EXPECT_GE(contrast(theme().on_accent, theme().ok), 4.5F);
}

TEST_P(Themes, ShapesStandOut) {
  for (const ImU32 colour :
       {theme().read, theme().write, theme().reference, theme().waiting, theme().error, theme().ok})
    for (const ImU32 surface : {theme().window, theme().panel}) EXPECT_GE(contrast(colour, surface), 3.0F);
}

TEST_P(Themes, NumbersReadOnEveryStepOfTheHeatMap) {
  for (int step = 0; step <= 100; ++step) {
    const ImU32 surface = viridis(static_cast<float>(step) / 100);
    EXPECT_GE(contrast(readable_on(surface, theme()), surface), 3.0F) << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, Themes, ::testing::Values(true, false));

TEST(Viridis, GrowsBrighterAllTheWay) {
  const ImU32 black = IM_COL32(0, 0, 0, 255);
  for (int step = 1; step <= 100; ++step)
    EXPECT_GE(contrast(viridis(static_cast<float>(step) / 100), black),
              contrast(viridis(static_cast<float>(step - 1) / 100), black));
  EXPECT_EQ(viridis(0), IM_COL32(0x44, 0x01, 0x54, 255));
  EXPECT_EQ(viridis(1), IM_COL32(0xFD, 0xE7, 0x25, 255));
  EXPECT_EQ(viridis(-3), viridis(0));
  EXPECT_EQ(viridis(7), viridis(1));
}

TEST(Mix, IsOpaqueAndMeetsBothEnds) {
  const ImU32 a = IM_COL32(10, 20, 30, 255), b = IM_COL32(110, 220, 130, 255);
  EXPECT_EQ(mix(a, b, 0), a);
  EXPECT_EQ(mix(a, b, 1), b);
  EXPECT_EQ(mix(a, b, 0.5F), IM_COL32(60, 120, 80, 255));
}

TEST(Contrast, IsThatOfTheGuideline) {
  EXPECT_NEAR(contrast(IM_COL32_WHITE, IM_COL32_BLACK), 21, 0.01);
  EXPECT_NEAR(contrast(IM_COL32(0x77, 0x77, 0x77, 255), IM_COL32_WHITE), 4.48, 0.01);  // WebAIM's example
}

}  // namespace
}  // namespace tilescope
