// Where tooltips are drawn: never over the part that they explain, whatever its position and size.
#include "app/draw/tooltip.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace tilescope {
namespace {

bool inside(const Mark& place, ImVec2 display) {
  return place.low.x >= 0 && place.low.y >= 0 && place.high.x <= display.x && place.high.y <= display.y;
}

struct Window {
  float width, height, scale;
};
class Tooltips : public ::testing::TestWithParam<Window> {
 protected:
  ImVec2 display() const { return {GetParam().width * GetParam().scale, GetParam().height * GetParam().scale}; }
  float px(float value) const { return value * GetParam().scale; }
  float column() const { return display().x - px(296); }
  TooltipRoom room(std::span<const Mark> keep_free = {}) const { return {display(), px(200), column(), keep_free}; }
};

TEST_P(Tooltips, NeverCoverWhatTheyExplain) {
  std::mt19937 random(7);
  const auto between = [&](float low, float high) { return std::uniform_real_distribution<float>(low, high)(random); };
  for (int trial = 0; trial < 4000; ++trial) {
    const ImVec2 low{between(0, display().x - px(8)), between(0, display().y - px(8))};
    const Mark area{low,
                    {std::min(display().x, low.x + between(px(4), px(500))),
                     std::min(display().y, low.y + between(px(4), px(500)))}};
    if (area.low.x < column() && area.high.x > column()) continue;  // no area crosses that line
    const ImVec2 pointer{between(area.low.x, area.high.x), between(area.low.y, area.high.y)};
    const Mark explained = explained_part(area, pointer, GetParam().scale);
    const ImVec2 size{between(px(60), px(404)), between(px(32), px(172))};
    const Mark place = place_tooltip(explained, pointer, size, room(), GetParam().scale);
    EXPECT_FALSE(overlap(place, explained))
        << explained.low.x << "," << explained.low.y << " … " << explained.high.x << "," << explained.high.y;
    EXPECT_TRUE(inside(place, display())) << place.low.x << "," << place.low.y;
    if (explained.low.x >= column()) {
      EXPECT_LE(place.high.x, column());
    }
  }
}

TEST_P(Tooltips, LeaveErrorMessagesReadable) {
  const Mark field{{px(400), px(300)}, {px(600), px(322)}};
  const Mark message{{px(380), px(324)}, {px(700), px(360)}};
  const Mark place =
      place_tooltip(field, {px(500), px(310)}, {px(300), px(52)}, room(std::array{message}), GetParam().scale);
  EXPECT_FALSE(overlap(place, message));
  EXPECT_FALSE(overlap(place, field));
}

TEST_P(Tooltips, StayCloseToThePointerInLargeAreas) {
  const Mark map{{px(220), px(120)}, {px(220 + 500), px(120 + 330)}};
  const ImVec2 pointer{px(400), px(300)};
  const Mark part = explained_part(map, pointer, GetParam().scale);
  EXPECT_LE(part.high.y - part.low.y, px(40));
  EXPECT_TRUE(part.low.x < pointer.x && pointer.x < part.high.x && part.low.y < pointer.y && pointer.y < part.high.y);
  const Mark row{{px(220), px(120)}, {px(720), px(140)}};
  EXPECT_EQ(explained_part(row, {px(400), px(130)}, GetParam().scale).high.x, row.high.x);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Tooltips,
                         ::testing::Values(Window{1600, 1000, 1}, Window{1280, 800, 1}, Window{900, 560, 1},
                                           Window{1600, 1000, 2}));

}  // namespace
}  // namespace tilescope
