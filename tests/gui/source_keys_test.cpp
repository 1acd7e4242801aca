// Finding, replacing and going to a line; showing and hiding the source and the lower part of the screen; saving.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "app/draw/editor/bracket_match.hpp"
#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

// ---- brackets ----

std::optional<std::pair<TextPosition, TextPosition>> brackets(const std::vector<std::string>& lines,
                                                              TextPosition cursor) {
  std::vector<std::vector<Token>> tokens;
  LineState state = LineState::plain;
  for (const std::string& line : lines) tokens.push_back(tokenize(Syntax::cuda, line, &state));
  return matching_brackets(
      lines, [&](size_t line) { return std::span<const Token>(tokens[line]); }, cursor);
}

TEST(Brackets, BelongTogetherOverLinesAndNestings) {
  const std::vector<std::string> lines{"void f(int (*g)[2]) {", "", "  a[i[0]] = 1;", "}"};
  EXPECT_EQ(brackets(lines, {0, 6}), std::pair(TextPosition(0, 6), TextPosition(0, 18)));
  EXPECT_EQ(brackets(lines, {0, 19}), std::pair(TextPosition(0, 18), TextPosition(0, 6)))
      << "the one before the cursor";
  EXPECT_EQ(brackets(lines, {0, 20}), std::pair(TextPosition(0, 20), TextPosition(3, 0)));
  EXPECT_EQ(brackets(lines, {3, 0}), std::pair(TextPosition(3, 0), TextPosition(0, 20)));
  EXPECT_EQ(brackets(lines, {2, 3}), std::pair(TextPosition(2, 3), TextPosition(2, 8)));
  EXPECT_FALSE(brackets(lines, {2, 0}));
}

TEST(Brackets, InCommentsAndStringsCountForNothing) {
  const std::vector<std::string> lines{"f(a, \")\", /* ) */ b);  // )", "(", "\"(\""};
  EXPECT_EQ(brackets(lines, {0, 1}), std::pair(TextPosition(0, 1), TextPosition(0, 19)));
  EXPECT_FALSE(brackets(lines, {1, 0})) << "it has no partner";
  EXPECT_FALSE(brackets(lines, {2, 1}));
}

TEST(TextBuffer, ReplacesEveryMatchInOneStep) {
  TextBuffer buffer("int a = aa + A;\nb\na");
  EXPECT_EQ(buffer.replace_all("a", "xyz"), 5U);
  EXPECT_EQ(buffer.text(), "int xyz = xyzxyz + xyz;\nb\nxyz");
  buffer.undo();
  EXPECT_EQ(buffer.text(), "int a = aa + A;\nb\na");
  EXPECT_EQ(buffer.replace_all("A", "a"), 1U) << "a capital makes the case matter";
  EXPECT_EQ(buffer.replace_all("nothing", ""), 0U);
  EXPECT_EQ(buffer.replace_all("a", "aa"), 5U) << "what was put in is not looked at again";
}

// ---- the screen ----

class SourceKeysTest : public testing::ScreenTest {
 protected:
  bool has(const std::string& name) const { return screen->marks().contains(name); }
  std::string edited() const { return screen->session.request().edited_source.value_or(""); }
  void put(const std::string& text) {
    type(text.c_str());
    frames(2);
  }
};

TEST_F(SourceKeysTest, FindGoesFromMatchToMatchAndMarksTheOneThatIsMeant) {
  press(Key::f, /*control=*/true);
  frames(3);
  ASSERT_TRUE(has("find.pattern"));
  put("float");
  ASSERT_TRUE(has("source.match"));
  const ImVec2 first = screen->marks().at("source.match").low;
  click("find.next");
  ASSERT_TRUE(has("source.match"));
  const ImVec2 second = screen->marks().at("source.match").low;
  EXPECT_TRUE(first.x != second.x || first.y != second.y);
  click("find.next");
  click("find.previous");
  click("find.previous");
  const ImVec2 again = screen->marks().at("source.match").low;
  EXPECT_EQ(again.x, first.x);
  click("find.close");
  frames(2);
  EXPECT_FALSE(has("find.pattern"));
  EXPECT_FALSE(has("source.match"));
}

TEST_F(SourceKeysTest, GoToLineFollowsAndSelects) {
  screen->session.select_lab("matmul-fp32");
  frames(3);
  press(Key::g, /*control=*/true);
  frames(3);
  ASSERT_TRUE(has("find.line"));
  put("150");
  frames(2);
  EXPECT_TRUE(has("source.line.150"));
  press(Key::enter);
  frames(3);
  EXPECT_FALSE(has("find.line"));
  EXPECT_EQ(screen->view.selection.line, 150U);
  EXPECT_TRUE(has("source.line.150"));
}

TEST_F(SourceKeysTest, ReplaceStartsTheEditingAndRuns) {
  press(Key::h, /*control=*/true);
  frames(3);
  ASSERT_TRUE(has("find.replacement"));
  put("thread_per_element");
  click("find.replacement");
  frames(2);
  put("one_each");
  click("find.replace");
  frames(40);
  EXPECT_THAT(edited(), HasSubstr("one_each"));
  click("find.replace_all");
  frames(40);
  EXPECT_THAT(edited(), Not(HasSubstr("thread_per_element")));
}

TEST_F(SourceKeysTest, AKeyHidesTheLowerPartAndTheStripShowsIt) {
  const Mark before = screen->marks().at("source.text");
  press(Key::j, /*control=*/true);
  frames(2);
  EXPECT_FALSE(has("source.text"));
  EXPECT_TRUE(screen->view.lower_hidden);
  click("lower.show");
  frames(2);
  ASSERT_TRUE(has("source.text"));
  EXPECT_EQ(screen->marks().at("source.text").low.y, before.low.y);
  click("lower.hide");
  frames(2);
  EXPECT_FALSE(has("source.text"));
  press(Key::e, /*control=*/true);  // editing needs the source
  frames(3);
  ASSERT_TRUE(has("source.text"));
  put("mine");
  frames(40);
  EXPECT_THAT(edited(), HasSubstr("mine"));
}

TEST_F(SourceKeysTest, TheSplitterSnapsShutAndOpensAgain) {
  for (const ImVec2 size : {ImVec2(1600, 1000), ImVec2(1280, 800)}) {
    window = size;
    frames(2);
    const ImVec2 edge = centre("splitter.bottom");
    drag({edge.x - 200, edge.y}, {edge.x - 200, size.y - 30});
    EXPECT_TRUE(screen->view.lower_hidden);
    EXPECT_FALSE(has("source.text"));
    const ImVec2 strip = centre("splitter.bottom");
    drag({strip.x - 200, strip.y}, {strip.x - 200, size.y - 300});
    EXPECT_FALSE(screen->view.lower_hidden);
    EXPECT_TRUE(has("source.text"));
  }
}

TEST_F(SourceKeysTest, TheSourceTakesTheMiddleAndGivesItBack) {
  const Mark before = screen->marks().at("source.text");
  press(Key::e, /*control=*/true, /*shift=*/true);
  frames(2);
  const Mark large = screen->marks().at("source.text");
  EXPECT_GT(large.high.x - large.low.x, before.high.x - before.low.x);
  EXPECT_GT(large.high.y - large.low.y, 1.8F * (before.high.y - before.low.y));
  EXPECT_FALSE(screen->session.request().edited_source) << "it is not the key that edits";
  click("source.maximise");
  frames(2);
  EXPECT_EQ(screen->marks().at("source.text").low.y, before.low.y);
  click("source.maximise");
  frames(2);
  click("tab.2");  // asking for a view shows it
  frames(2);
  EXPECT_FALSE(screen->view.source_maximised);
  EXPECT_EQ(screen->view.tab, "traffic");
}

TEST_F(SourceKeysTest, EveryKeyOfTheSourceIsInTheHelp) {
  press(Key::f1);
  frames(2);
  for (const char* key : {"Ctrl+F|", "Ctrl+H|", "Ctrl+G|", "Ctrl+J|", "Ctrl+Shift+E|", "Ctrl+S|", "Ctrl+E|"})
    EXPECT_TRUE(std::ranges::any_of(
        std::vector<std::string>{"search", "replace", "go_to_line", "lower", "maximise", "save", "edit"},
        [&](const std::string& name) { return screen->strings("help." + name).starts_with(key); }))
        << key;
}

TEST_F(SourceKeysTest, EverySaveIsConfirmedAlsoBesideAnErrorAndOutOfSight) {
  const fs::path folder = fs::temp_directory_path() / ("tilescope-save-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  setenv("XDG_DOCUMENTS_DIR", folder.c_str(), 1);  // not the documents of the user who runs the tests
  screen->session.set_source("no kernel at all");
  frames(3);
  press(Key::s, /*control=*/true);
  frames(3);
  EXPECT_THAT(screen->message, HasSubstr(".cu"));
  screen->message.clear();
  screen->view.lower_hidden = true;
  frames(2);
  press(Key::s, /*control=*/true);
  frames(3);
  EXPECT_THAT(screen->message, HasSubstr(".cu"));
  EXPECT_FALSE(fs::is_empty(folder / "tilescope"));
  unsetenv("XDG_DOCUMENTS_DIR");
  fs::remove_all(folder);
}

class LessonKeysTest : public SourceKeysTest {
 protected:
  void SetUp() override {
    screen->view.tab = "lesson";
    frames(4);
    point_at({700, 300});
  }
};

TEST_F(LessonKeysTest, CanBeSearched) {
  press(Key::f, /*control=*/true);
  frames(3);
  ASSERT_TRUE(has("lesson.pattern"));
  EXPECT_FALSE(has("find.pattern")) << "the source is elsewhere";
  put("sector");
  frames(4);
  ASSERT_TRUE(has("lesson.match"));
  const Mark first = screen->marks().at("lesson.match");
  click("lesson.next");
  frames(4);
  ASSERT_TRUE(has("lesson.match"));
  const Mark second = screen->marks().at("lesson.match");
  EXPECT_TRUE(first.low.x != second.low.x || first.low.y != second.low.y);
  click("lesson.close");
  frames(2);
  EXPECT_FALSE(has("lesson.match"));
}

TEST_F(LessonKeysTest, AnswersAreShownWhenTheyAreAskedFor) {
  click("lesson.outline.exercises");
  frames(4);
  const auto answers = [&] {
    return std::ranges::count_if(screen->marks(),
                                 [](const auto& one) { return one.first.starts_with("link.answer:"); });
  };
  const auto folded = answers();
  ASSERT_GE(folded, 2);
  const auto first =
      std::ranges::find_if(screen->marks(), [](const auto& one) { return one.first.starts_with("link.answer:"); });
  const std::string name = first->first;
  click(name);
  frames(3);
  EXPECT_FALSE(has(name));
}

TEST_F(LessonKeysTest, TheOutlineFollowsToTheEnd) {
  // The last section is marked once the end of the lesson is in view.
  ASSERT_TRUE(has("lesson.here"));
  for (int turn = 0; turn < 40; ++turn) {
    point_at({700, 300});
    ImGui::GetIO().MouseWheel = -10;
    frame();
    frame();
  }
  frames(3);
  std::string last;
  float lowest = 0;
  for (const auto& [name, mark] : screen->marks())
    if (name.starts_with("lesson.outline.") && mark.low.y > lowest) {
      lowest = mark.low.y;
      last = name;
    }
  EXPECT_EQ(screen->marks().at("lesson.here").low.y, lowest) << last;
}

}  // namespace
}  // namespace tilescope
