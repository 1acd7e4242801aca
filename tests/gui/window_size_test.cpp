// The window at every size that a window system may give it, down to one pixel, and what closes menus.
#include <gmock/gmock.h>

#include "app/draw/menus.hpp"
#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

using testing::ScreenTest;

class WindowSizeTest : public ScreenTest {
 protected:
  void frame_of(float width, float height) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {width, height};
    io.MousePos = {width / 2, height / 2};
    ImGui::NewFrame();
    screen->draw(width, height);
    ImGui::Render();
  }
  void sweep() {
    const std::array<ImVec2, 14> sizes{{{2560, 1600},
                                        {1600, 1000},
                                        {1280, 800},
                                        {1024, 640},
                                        {900, 560},
                                        {640, 480},
                                        {480, 360},
                                        {300, 300},
                                        {1600, 90},
                                        {90, 1000},
                                        {50, 50},
                                        {10, 10},
                                        {3, 2},
                                        {1, 1}}};
    for (const Language language : {Language::en, Language::zh}) {
      screen->strings.language = language;
      for (const ViewSpec& spec : views()) {
        screen->view.tab = spec.name;
        for (const bool speed : {false, true}) {
          screen->view.bottom_speed = speed;
          for (const ImVec2 size : sizes) {
            SCOPED_TRACE(fmt::format("{} view {} at {} x {}", screen->session.lab().name, spec.name, size.x, size.y));
            frame_of(size.x, size.y);
            frame_of(size.x, size.y);
          }
        }
      }
    }
  }
};

// ImGui aborts the program if it cannot draw something: this test only has to reach its end.
TEST_F(WindowSizeTest, EveryViewDrawsAtEverySizeInBothLanguages) {
  for (const char* lab : {"vector-add", "softmax", "attention", "matmul-fp32", "grouped-order"}) {
    screen->session.select_lab(lab);
    screen->session.submit();
    ASSERT_TRUE(settle()) << lab;
    sweep();
  }
}

TEST_F(WindowSizeTest, SmallWindowsShowTheUpperLeftOfTheSmallestLayout) {
  const Layout smallest = lay_out(screen->view, kSmallestWidth, kSmallestHeight);
  const Layout less = lay_out(screen->view, 1, 1);
  EXPECT_EQ(less.view.width(), smallest.view.width());
  EXPECT_EQ(less.status.bottom, smallest.status.bottom);
  for (const Area& area : {smallest.rail, smallest.view, smallest.source, smallest.controls, smallest.status}) {
    EXPECT_GT(area.width(), 0);
    EXPECT_GT(area.height(), 0);
  }
}

TEST_F(WindowSizeTest, EscapeClosesAMenuAndNothingElse) {
  click("device");
  ASSERT_TRUE(any_menu_open());
  press(Key::escape);
  EXPECT_FALSE(any_menu_open());
}

TEST_F(WindowSizeTest, TheClickThatClosesAMenuStillPressesWhatItWasAimedAt) {
  click("device");
  ASSERT_TRUE(any_menu_open());
  click("rung.grid-stride");
  EXPECT_FALSE(any_menu_open());
  EXPECT_EQ(screen->session.rung().name, "grid-stride");
}

TEST_F(WindowSizeTest, AnotherClickOnItsButtonClosesAMenu) {
  click("device");
  ASSERT_TRUE(any_menu_open());
  click("device");
  EXPECT_FALSE(any_menu_open());
  click("device");
  EXPECT_TRUE(any_menu_open());
}

TEST_F(WindowSizeTest, DigitsChooseNoTabBehindAMenu) {
  click("device");
  ASSERT_TRUE(any_menu_open());
  press(Key::digit_1);
  EXPECT_EQ(screen->view.tab, "tiles");
}

TEST_F(WindowSizeTest, EscapeClosesTheChoiceOfFiles) {
  screen->session.select_lab("softmax");  // its kernel's file includes headers
  frames(4);
  click("pages.choice");
  ASSERT_TRUE(any_menu_open());
  press(Key::escape);
  EXPECT_FALSE(any_menu_open());
}

TEST_F(WindowSizeTest, CtrlPlusMinusAndZeroScale) {
  press(Key::plus, /*control=*/true);
  EXPECT_FLOAT_EQ(screen->view.user_scale, 1.125F);
  press(Key::minus, /*control=*/true);
  press(Key::minus, /*control=*/true);
  EXPECT_FLOAT_EQ(screen->view.user_scale, 0.875F);
  press(Key::digit_0, /*control=*/true);
  EXPECT_FLOAT_EQ(screen->view.user_scale, 1);
}

}  // namespace
}  // namespace tilescope
