// Values typed instead of dragged on a slider.
#include <gmock/gmock.h>

#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

using testing::ScreenTest;

class TypingTest : public ScreenTest {
 protected:
  int64_t n() { return screen->session.request().config.size("n"); }
  void type_value(const char* text) {
    click("value.n");
    frames(2);
    ASSERT_TRUE(ImGui::GetIO().WantTextInput);
    type(text);
  }
};

TEST_F(TypingTest, AClickOnTheNumberTypesIt) {
  type_value("2^16+5");
  press(Key::enter);
  frames(2);
  EXPECT_EQ(n(), 65541);
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
  EXPECT_TRUE(screen->view.typing_in.empty());
}

TEST_F(TypingTest, EscapeKeepsTheOldValue) {
  const int64_t before = n();
  type_value("12345");
  press(Key::escape);
  frames(2);
  EXPECT_EQ(n(), before);
  EXPECT_TRUE(screen->view.typing_in.empty());
}

TEST_F(TypingTest, WhatCannotBeTakenStaysWithItsReason) {
  const int64_t before = n();
  for (const char* text : {"abc", "2^", "99999999999"}) {
    type_value(text);
    press(Key::enter);
    frames(3);
    EXPECT_EQ(n(), before) << text;
    EXPECT_EQ(screen->view.typing_in, "n") << text;
    EXPECT_EQ(screen->view.typed, text);
    EXPECT_TRUE(screen->marks().contains("problem.typing.n")) << text;
    press(Key::escape);
    frames(2);
    EXPECT_EQ(n(), before) << text;
    EXPECT_FALSE(screen->marks().contains("problem.typing.n")) << text;
  }
}

TEST_F(TypingTest, AClickElsewhereTakesAValueThatHolds) {
  type_value("64*1024");
  click(ImVec2(700, 60));
  EXPECT_EQ(n(), 65536);
  EXPECT_TRUE(screen->view.typing_in.empty());
}

TEST_F(TypingTest, ADoubleClickOnTheTrackTypesNothing) {
  const ImVec2 track = centre("slider.n");
  click(track);
  click(track);
  EXPECT_TRUE(screen->view.typing_in.empty());
}

}  // namespace
}  // namespace tilescope
