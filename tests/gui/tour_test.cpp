// The first steps: ticked by the real actions, drawn beside their subject, remembered, and gone once they are closed.
#include "app/window/tour.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "app/draw/tooltip.hpp"
#include "app/window/settings.hpp"
#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

using testing::ScreenTest;

class TourTest : public ScreenTest {
 protected:
  void SetUp() override {
    start_tour(*screen);
    frames(3);
  }
  const Tour& tour() { return screen->view.tour; }
};

TEST_F(TourTest, BeginsWithTheLessonOfTheFirstLab) {
  EXPECT_EQ(screen->session.lab().name, "hello");
  EXPECT_EQ(screen->session.lab().name, labs().front().name);
  EXPECT_EQ(screen->view.tab, "lesson");
  EXPECT_TRUE(screen->marks().contains("tour card"));
  EXPECT_THAT(tour().done, ::testing::Each(false));
}

TEST_F(TourTest, TicksWhatIsDoneInWhateverOrder) {
  click("rung.grid");
  EXPECT_THAT(tour().done, ::testing::ElementsAre(false, true, false, false));
  screen->session.set_param("BLOCK", 128);
  frame();
  EXPECT_THAT(tour().done, ::testing::ElementsAre(true, true, false, false));
  click("tab.4");
  EXPECT_THAT(tour().done, ::testing::ElementsAre(true, true, false, true));
}

TEST_F(TourTest, ABugCountsOnceItsFindingIsThere) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  screen->session.set_size("n", 5000);
  click("rung.grid");
  click("break.DROP_MASK");
  EXPECT_FALSE(tour().done[2]);
  press(Key::f5);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(tour().done[2]);
}

TEST_F(TourTest, NeverCoversWhatItPointsAt) {
  const char* kTargets[] = {"slider.BLOCK", "rung.grid", "break.TOO_MANY_THREADS", "tab.4"};
  for (const ImVec2 size : {ImVec2(1600, 1000), ImVec2(1280, 800), ImVec2(900, 560)}) {
    window = size;
    for (size_t step = 0; step < Tour::kSteps; ++step) {
      screen->view.tour.done = {};
      for (size_t before = 0; before < step; ++before) screen->view.tour.done[before] = true;
      frames(2);
      ASSERT_TRUE(screen->marks().contains(kTargets[step])) << kTargets[step];
      const Mark card = screen->marks().at("tour card");
      EXPECT_FALSE(overlap(card, screen->marks().at(kTargets[step]))) << kTargets[step] << " at " << size.x;
      EXPECT_GE(card.low.x, 0);
      EXPECT_LE(card.high.y, size.y);
    }
  }
}

TEST_F(TourTest, IsClosedRememberedAndBegunAgain) {
  click("rung.grid");
  const auto settings = settings_of(*screen);
  EXPECT_EQ(settings.at("tour").at("running"), true);
  click("tour close");
  EXPECT_FALSE(tour().running);
  EXPECT_FALSE(screen->marks().contains("tour card"));
  screen->view.tour = {};
  apply_settings(*screen, settings);
  EXPECT_TRUE(tour().running);
  EXPECT_TRUE(tour().done[1]);
  click("help");
  click("menu.tour");
  EXPECT_TRUE(tour().running);
  EXPECT_THAT(tour().done, ::testing::Each(false));
}

TEST_F(TourTest, IsNotShownInOtherLabs) {
  screen->session.select_lab("softmax");
  frames(2);
  EXPECT_FALSE(screen->marks().contains("tour card"));
}

class MenusTest : public ScreenTest {};

TEST_F(MenusTest, HaveWhatKeysAndPaletteHave) {
  click("more");
  for (const char* entry : {"menu.open", "menu.find", "menu.json", "menu.csv", "menu.png", "menu.command",
                            "menu.reset_lab", "menu.reset_layout", "menu.english", "menu.chinese", "menu.dark",
                            "menu.light", "menu.scale.smaller", "menu.scale.reset", "menu.scale.larger"})
    EXPECT_TRUE(screen->marks().contains(entry)) << entry;
  click("menu.chinese");
  EXPECT_EQ(screen->strings.language, Language::zh);
  EXPECT_FALSE(screen->marks().contains("menu.open"));  // a choice closes it
  click("more");
  click("menu.light");
  EXPECT_TRUE(screen->view.light);
}

TEST_F(MenusTest, AClickElsewhereClosesThemAndCounts) {
  click("more");
  click("tab.7");
  EXPECT_EQ(screen->view.tab, "correctness");
  EXPECT_FALSE(screen->marks().contains("menu.open"));
}

TEST_F(MenusTest, ResetsTheLabsValues) {
  screen->session.set_param("BLOCK", 64);
  screen->session.set_broken("DROP_MASK", true);
  click("more");
  click("menu.reset_lab");
  EXPECT_EQ(screen->session.request().config, default_config(screen->session.lab(), DeviceKind::sim));
  EXPECT_TRUE(screen->session.request().broken.empty());
}

TEST_F(MenusTest, ScaleInPlace) {
  click("more");
  click("menu.scale.larger");
  EXPECT_GT(screen->view.user_scale, 1.0F);
  EXPECT_TRUE(screen->marks().contains("menu.scale.larger"));
  click("menu.scale.reset");
  EXPECT_EQ(screen->view.user_scale, 1.0F);
}

TEST_F(MenusTest, OpenThePagesOfTheHelp) {
  click("help");
  click("menu.terms");
  EXPECT_TRUE(screen->marks().contains("help.terms"));
  EXPECT_FALSE(screen->marks().contains("help.keys"));
  press(Key::escape);
  EXPECT_FALSE(screen->marks().contains("help.terms"));
  click("help");
  click("menu.keys");
  EXPECT_TRUE(screen->marks().contains("help.keys"));
}

}  // namespace
}  // namespace tilescope
