// View state belongs to a lab: playing, selecting or stepping in one lab changes nothing in another.
#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

TEST(LabView, EachLabKeepsItsOwn) {
  ViewState view;
  view.playback.position = 3;  // before the first frame: applies to the first lab
  enter_lab(view, "a");
  EXPECT_EQ(view.playback.position, 3);
  view.playback.playing = true;
  view.selection.block = 7;
  view.zoom.level = TilesLevel::warp;
  view.step.position = 11;
  view.plane.step = 2;
  enter_lab(view, "b");
  EXPECT_LT(view.playback.position, 0) << "a lab begins with every block";
  EXPECT_FALSE(view.playback.playing);
  EXPECT_EQ(view.selection, Selection{});
  EXPECT_EQ(view.zoom.level, TilesLevel::grid);
  EXPECT_EQ(view.step.position, 0U);
  EXPECT_LT(view.plane.step, 0);
  view.playback.position = 1;
  enter_lab(view, "a");
  EXPECT_EQ(view.playback.position, 3);
  EXPECT_FALSE(view.playback.playing) << "nothing plays on by itself";
  EXPECT_EQ(view.selection.block, 7U);
  EXPECT_EQ(view.zoom.level, TilesLevel::warp);
  EXPECT_EQ(view.step.position, 11U);
  enter_lab(view, "b");
  EXPECT_EQ(view.playback.position, 1);
}

TEST(LabView, PreferencesAreTheSameInEveryLab) {
  ViewState view;
  enter_lab(view, "a");
  view.step.format = StepFormat::hexadecimal;
  view.plane.as_tiles = true;
  enter_lab(view, "b");
  EXPECT_EQ(view.step.format, StepFormat::hexadecimal);
  EXPECT_TRUE(view.plane.as_tiles);
}

class PlayedScreen : public testing::ScreenTest {
 protected:
  void SetUp() override {
    if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  }
  void run(const std::string& lab) {
    screen->session.select_lab(lab);
    screen->session.set_device(DeviceKind::sim);
    frame();
    press(Key::f5);
    ASSERT_TRUE(settle());
    ASSERT_NE(screen->session.result(), nullptr) << lab;
  }
};

TEST_F(PlayedScreen, HomeInOneLabLeavesTheOthersWhole) {
  screen->view.tab = "tiles";
  run("vector-add");
  press(Key::home);
  EXPECT_EQ(screen->view.playback.position, 0);
  run("transpose");
  EXPECT_LT(screen->view.playback.position, 0);
  screen->session.select_lab("vector-add");
  frame();
  EXPECT_EQ(screen->view.playback.position, 0) << "as it was left";
  press(Key::f5);
  ASSERT_TRUE(settle());
  press(Key::end);
  EXPECT_LT(screen->view.playback.position, 0) << "every block, also of a larger grid";
}

}  // namespace
}  // namespace tilescope
