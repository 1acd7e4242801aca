// The source panel and the lesson under keys and pointer, without a window.
#include <gmock/gmock.h>

#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

using ::testing::HasSubstr;

class SourcePanelTest : public testing::ScreenTest {
 protected:
  const std::optional<std::string>& edited() { return screen->session.request().edited_source; }
  /// Longer than the pause after which an edit is taken over.
  void wait() { frames(40); }
  std::string line_mark(uint32_t line) { return "source.line." + std::to_string(line); }
  /// The first line that is on the screen: where the kernel of the rung begins.
  uint32_t first_line() {
    uint32_t first = 1;
    while (first < 1000 && !screen->marks().contains(line_mark(first))) ++first;
    return first;
  }
};

TEST_F(SourcePanelTest, OpensAtTheKernelOfTheRung) {
  frames(3);
  const uint32_t first = first_line();
  click("rung.grid-stride");
  frames(3);
  EXPECT_GT(first_line(), first);
}

TEST_F(SourcePanelTest, ClickingALineSelectsIt) {
  frames(3);
  const uint32_t line = first_line() + 2;
  click(line_mark(line));
  EXPECT_EQ(screen->view.selection.line, line);
}

TEST_F(SourcePanelTest, ALineSelectedElsewhereIsScrolledTo) {
  screen->view.selection.line = 1;
  frames(3);
  EXPECT_TRUE(screen->marks().contains(line_mark(1)));
}

TEST_F(SourcePanelTest, TypingWithoutEditingChangesNothing) {
  frames(3);
  click(line_mark(first_line()));
  type("x");
  wait();
  EXPECT_FALSE(edited());
}

TEST_F(SourcePanelTest, AnEditIsTakenOverWhenTypingPausesAndRevertTakesItBack) {
  click("source.edit");
  frames(2);
  type("hello");
  EXPECT_FALSE(edited()) << "too early";
  wait();
  ASSERT_TRUE(edited());
  EXPECT_THAT(*edited(), HasSubstr("hello"));
  click("source.revert");
  wait();
  EXPECT_FALSE(edited());
}

TEST_F(SourcePanelTest, DigitsTypedIntoTheSourceDoNotChangeTheTab) {
  click("source.edit");
  frames(2);
  const Tab before = screen->view.tab;
  press(ShellKey::digit_1);
  EXPECT_EQ(screen->view.tab, before);
}

TEST_F(SourcePanelTest, EachLabKeepsItsOwnText) {
  click("source.edit");
  frames(2);
  type("mine");
  wait();
  ASSERT_TRUE(edited());
  click("lab.vector-multiply");
  frames(3);
  EXPECT_FALSE(edited());
  click("lab.vector-add");
  frames(3);
  ASSERT_TRUE(edited());
  EXPECT_THAT(*edited(), HasSubstr("mine"));
}

TEST_F(SourcePanelTest, ASyntaxErrorIsShownAndTheTextBeforeItStays) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  click("source.edit");
  frames(2);
  type("no_such_type x; ");
  wait();
  screen->session.submit();
  ASSERT_TRUE(settle());
  ASSERT_TRUE(screen->session.error());
  EXPECT_EQ(screen->session.error()->id, ErrorId::compile_failed);
  EXPECT_TRUE(screen->marks().contains("source.error"));
}

TEST_F(SourcePanelTest, LessonLinksAct) {
  screen->view.tab = Tab::lesson;
  screen->session.select_lab("vector-multiply");
  frames(4);
  click("link.lab:vector-add");
  EXPECT_EQ(screen->session.lab().name, "vector-add");
  screen->view.lesson_anchor = "1-one-thread-per-element";
  screen->session.select_rung("grid-stride");
  frames(4);
  click("link.rung:thread-per-element");
  EXPECT_EQ(screen->session.rung().name, "thread-per-element");
}

TEST_F(SourcePanelTest, TheLessonIsWhereItWasLeft) {
  screen->view.tab = Tab::lesson;
  frames(4);
  ASSERT_TRUE(screen->marks().contains("lesson.outline.exercises"));
  click("lesson.outline.exercises");
  frames(4);
  ASSERT_TRUE(screen->marks().contains("link.set:BLOCK=32"));
  click("lab.vector-multiply");
  frames(4);
  EXPECT_FALSE(screen->marks().contains("link.set:BLOCK=32"));
  click("lab.vector-add");
  frames(4);
  ASSERT_TRUE(screen->marks().contains("link.set:BLOCK=32"));
  click("link.set:BLOCK=32");
  EXPECT_EQ(param("BLOCK"), 32);
  click("language.zh");
  frames(4);
  EXPECT_TRUE(screen->marks().contains("link.set:BLOCK=32")) << "the same place in the other language";
}

}  // namespace
}  // namespace tilescope
