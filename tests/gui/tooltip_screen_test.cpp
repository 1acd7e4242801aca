// Every marked part on the screen: it has a tooltip, which covers neither the part itself nor an error message.
#include <gmock/gmock.h>

#include <set>

#include "app/draw/tooltip.hpp"
#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

using testing::ScreenTest;

class TooltipScreenTest : public ScreenTest {
 protected:
  void SetUp() override {
    if (!engine->compiler()) return;
    screen->session.set_size("n", 5000);
    press(Key::f5);
    ASSERT_TRUE(settle());
  }
  /// As if the pointer had rested at this position.
  void rest_at(ImVec2 position) {
    point_at(position);
    screen->view.explained_for = 1;
    screen->view.explanation_due = true;
    frame();
  }
  bool in_window(const Mark& mark) const {
    const ImVec2 at = mark.centre();
    return at.x > 0 && at.y > 0 && at.x < window.x && at.y < window.y;
  }
};

TEST_F(TooltipScreenTest, CoversNeitherWhatItExplainsNorAnError) {
  int shown = 0;
  for (const ImVec2 size : {ImVec2(1600, 1000), ImVec2(1280, 800), ImVec2(900, 560)}) {
    window = size;
    for (const ViewSpec& spec : views()) {
      screen->view.tab = spec.name;
      frames(3);
      const Marks marks = screen->marks();
      for (const auto& [name, mark] : marks) {
        if (!in_window(mark)) continue;
        rest_at(mark.centre());
        const auto& tooltip = screen->view.tooltip;
        if (!tooltip) continue;
        ++shown;
        EXPECT_FALSE(overlap(tooltip->place, tooltip->explained)) << name << ", view " << spec.name << " at " << size.x;
        if (tooltip->explained.low.x >= screen->view.column_left) {
          EXPECT_LE(tooltip->place.high.x, screen->view.column_left) << name << " at " << size.x;
        }
        for (const Mark& error : screen->view.keep_free)
          EXPECT_FALSE(overlap(tooltip->place, error)) << name << ", view " << spec.name << " at " << size.x;
      }
    }
  }
  EXPECT_GT(shown, 300);
}

/// The tooltip would cover the view that the press has opened.
TEST_F(TooltipScreenTest, StaysAwayAfterAPressUntilThePointerIsElsewhere) {
  const auto comes = [&](const std::string& name) {
    point_at(screen->marks().at(name).centre());
    frames(120);
    return screen->view.tooltip.has_value();
  };
  ASSERT_TRUE(comes("tab.1"));
  click("tab.1");
  frames(120);
  EXPECT_FALSE(screen->view.tooltip);
  EXPECT_FALSE(screen->moving()) << "no frame is drawn for a tooltip that does not come";
  EXPECT_TRUE(comes("tab.2"));
  EXPECT_TRUE(comes("tab.1"));
}

TEST_F(TooltipScreenTest, EverythingInHeaderTabsAndControlsIsExplained) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  screen->session.set_broken("DROP_MASK", true);
  press(Key::f5);
  ASSERT_TRUE(settle());
  window = {1600, 1400};  // the whole column
  frames(3);
  const Marks marks = screen->marks();
  int looked_at = 0;
  for (const auto& [name, mark] : marks) {
    const bool above = mark.high.y <= 88 && mark.low.x > 200;
    const bool column = mark.low.x >= screen->view.column_left && !name.starts_with("splitter.");
    if ((!above && !column) || !in_window(mark)) continue;
    ++looked_at;
    rest_at(mark.centre());
    EXPECT_FALSE(screen->view.explained.empty()) << name;
  }
  EXPECT_GT(looked_at, 30);
}

TEST_F(TooltipScreenTest, EveryTextOfATooltipIsThere) {
  for (const std::string tab : {"tiles", "correctness"}) {
    screen->view.tab = tab;
    frames(2);
    const Marks marks = screen->marks();
    for (const auto& [name, mark] : marks) {
      if (!in_window(mark)) continue;
      rest_at(mark.centre());
      // A key that is missing from the file is shown as the key itself.
      EXPECT_FALSE(screen->view.explained.find("_meaning") != std::string::npos) << screen->view.explained;
    }
  }
}

}  // namespace
}  // namespace tilescope
