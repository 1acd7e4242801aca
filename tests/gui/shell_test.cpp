// The screen under keys and pointer, without a window.
#include <gmock/gmock.h>

#include "app/views/playback.hpp"
#include "app/window/palette.hpp"
#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

using testing::ScreenTest;

TEST_F(ScreenTest, DigitsChooseTabs) {
  press(static_cast<Key>(static_cast<int>(Key::digit_1) + 2));
  EXPECT_EQ(screen->view.tab, "traffic");
  press(Key::digit_1);
  EXPECT_EQ(screen->view.tab, "lesson");
}

TEST_F(ScreenTest, TheLastDigitOfTheHelpChoosesTheLastTab) {
  press(Key::digit_8);
  EXPECT_EQ(screen->view.tab, "correctness");
}

TEST_F(ScreenTest, ClickingATabChoosesIt) {
  click("tab.7");
  EXPECT_EQ(screen->view.tab, "correctness");
}

TEST_F(ScreenTest, LanguageAndThemeSwitch) {
  click("language.zh");
  EXPECT_EQ(screen->strings.language, Language::zh);
  click("language.en");
  EXPECT_EQ(screen->strings.language, Language::en);
  click("theme");
  EXPECT_TRUE(screen->view.light);
}

TEST_F(ScreenTest, RailChoosesTheLabAndLadderTheRung) {
  click("lab.vector-multiply");
  EXPECT_EQ(screen->session.lab().name, "vector-multiply");
  click("rung.grid-stride");
  EXPECT_EQ(screen->session.rung().name, "grid-stride");
}

TEST_F(ScreenTest, DraggingAParameterSliderVisitsItsValues) {
  const Mark track = screen->marks().at("slider.BLOCK");
  const float middle = track.centre().y;
  drag({track.low.x + 130, middle}, {track.high.x - 2, middle});
  EXPECT_EQ(param("BLOCK"), 1024);
  drag({track.high.x - 6, middle}, {track.low.x, middle});
  EXPECT_EQ(param("BLOCK"), 32);
}

TEST_F(ScreenTest, TheHandleStaysWhereItIsPressed) {
  const int64_t before = param("BLOCK");
  const Mark track = screen->marks().at("slider.BLOCK");
  // 256 is the fourth of six stops.
  const float handle = track.low.x + 6 + (track.high.x - track.low.x - 12) * 0.6F;
  click(ImVec2(handle + 3, track.centre().y));
  EXPECT_EQ(param("BLOCK"), before);
}

TEST_F(ScreenTest, SizeSliderStopsAtOfferedSizes) {
  const Mark track = screen->marks().at("slider.n");
  drag({track.low.x + 60, track.centre().y}, {track.low.x + 120, track.centre().y});
  const auto& offered = screen->session.lab().sizes.front().offered;
  EXPECT_THAT(offered, ::testing::Contains(screen->session.request().config.size("n")));
  EXPECT_NE(screen->session.request().config.size("n"), 98432);
}

TEST_F(ScreenTest, ASliderThatTheRungDoesNotUseDoesNotMove) {
  click("rung.thread-per-element");
  click("fold.sliders");
  const int64_t before = param("VEC");
  const Mark track = screen->marks().at("slider.VEC");
  drag({track.high.x - 6, track.centre().y}, {track.low.x + 2, track.centre().y});
  EXPECT_EQ(param("VEC"), before);
}

TEST_F(ScreenTest, AnyValueCanBeTyped) {
  const ImVec2 value = centre("value.n");
  ImGui::GetIO().KeyCtrl = true;
  click(value);
  ImGui::GetIO().KeyCtrl = false;
  frames(3);
  EXPECT_TRUE(ImGui::GetIO().WantTextInput);
  type("12345");
  press(Key::enter);
  frames(2);
  EXPECT_EQ(screen->session.request().config.size("n"), 12345);
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
}

TEST_F(ScreenTest, KeysAreIgnoredWhileTyping) {
  ImGui::GetIO().KeyCtrl = true;
  click("value.n");
  ImGui::GetIO().KeyCtrl = false;
  frames(3);
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  press(Key::digit_1);
  EXPECT_EQ(screen->view.tab, "tiles");
  EXPECT_FALSE(screen->view.playback.playing);
}

TEST_F(ScreenTest, BreakItSwitches) {
  click("break.DROP_MASK");
  EXPECT_THAT(screen->session.request().broken, ::testing::ElementsAre("DROP_MASK"));
  click("break.DROP_MASK");
  EXPECT_TRUE(screen->session.request().broken.empty());
}

TEST_F(ScreenTest, SplittersMoveAndADoubleClickResetsThem) {
  const ImVec2 splitter = centre("splitter.controls");
  drag(splitter, {splitter.x - 60, splitter.y});
  EXPECT_NEAR(screen->view.controls_width, 356, 2);
  const ImVec2 moved = centre("splitter.controls");
  click(moved);
  click(moved);
  EXPECT_EQ(screen->view.controls_width, ViewState().controls_width);
}

TEST_F(ScreenTest, PaletteFindsALab) {
  press(Key::p, /*control=*/true);
  frames(2);
  type("multiply");
  press(Key::enter);
  EXPECT_EQ(screen->session.lab().name, "vector-multiply");
}

TEST_F(ScreenTest, EscapeClosesThePaletteAndDigitsTypedIntoItChooseNoTab) {
  press(Key::p, /*control=*/true);
  frames(2);
  press(Key::digit_1);
  EXPECT_EQ(screen->view.tab, "tiles");
  press(Key::escape);
  press(Key::digit_1);
  EXPECT_EQ(screen->view.tab, "lesson");
}

TEST_F(ScreenTest, PointingExplains) {
  point_at(centre("slider.BLOCK"));
  frame();
  EXPECT_EQ(screen->view.explained, screen->strings(screen->session.lab().params.front().help));
}

TEST_F(ScreenTest, EveryMarkIsInsideTheWindow) {
  for (const auto& [name, mark] : screen->marks()) {
    EXPECT_GE(mark.low.x, -8) << name;
    EXPECT_GE(mark.low.y, -8) << name;
    EXPECT_LE(mark.high.x, 1608) << name;
    EXPECT_LE(mark.high.y, 1008) << name;
  }
}

TEST_F(ScreenTest, APredictionIsRevealedAfterAChoice) {
  const auto shown = static_cast<size_t>(screen->view.questions["vector-add"].number);
  const auto& predict = screen->session.lab().predicts.at(shown);
  const auto choices = predict.choices(screen->session.request().config);
  click("choice.1");
  const auto& guesses = screen->session.learned["vector-add"].guesses;
  ASSERT_EQ(guesses.size(), 1U);
  const Guess first = guesses.begin()->second.front();
  EXPECT_EQ(first.choices, choices) << "ascending";
  EXPECT_EQ(first.pressed, choices[1]);
  click("choice.0");  // the first answer is final
  EXPECT_EQ(guesses.begin()->second, std::vector<Guess>{first});
}

class RunningScreenTest : public ScreenTest {
 protected:
  void SetUp() override {
    if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
    click("rung.tiles-per-cta");
    press(Key::f5);
    point_at(ImVec2(1080, 60));  // nothing there has an explanation that would appear
    ASSERT_TRUE(settle());
    ASSERT_NE(screen->session.result(), nullptr)
        << (screen->session.error() ? screen->session.error()->message : "no result");
  }
};

TEST_F(RunningScreenTest, F5RunsAndTheResultFitsTheGridFormula) {
  EXPECT_TRUE(screen->session.result()->passed());
  EXPECT_EQ(screen->session.result()->tiles.grid.count(), 97U);
}

TEST_F(RunningScreenTest, ControlEnterRunsToo) {
  screen->session.set_param("BLOCK", 128);
  frame();
  EXPECT_TRUE(screen->session.stale());
  press(Key::enter, /*control=*/true);
  ASSERT_TRUE(settle());
  EXPECT_FALSE(screen->session.stale());
  EXPECT_EQ(screen->session.result()->request.config.param("BLOCK"), 128);
}

TEST_F(RunningScreenTest, PlaybackKeysMoveBlockByBlockAndByWave) {
  press(Key::home);
  EXPECT_EQ(issued_blocks(screen->view, 97), 0U);
  press(Key::right);
  EXPECT_EQ(issued_blocks(screen->view, 97), 1U);
  press(Key::right, /*control=*/false, /*shift=*/true);
  EXPECT_EQ(issued_blocks(screen->view, 97), 97U);  // fewer blocks than a wave are left
  press(Key::left);
  EXPECT_EQ(issued_blocks(screen->view, 97), 96U);
  press(Key::end);
  EXPECT_EQ(issued_blocks(screen->view, 97), 97U);
}

TEST_F(RunningScreenTest, SpacePlaysAndPauses) {
  press(Key::space);
  EXPECT_TRUE(screen->view.playback.playing);
  EXPECT_TRUE(screen->moving());
  press(Key::space);
  EXPECT_FALSE(screen->view.playback.playing);
  EXPECT_FALSE(screen->moving());
}

// The whole view: chosen by its key, modelled on request, played, with its own bars and plots below.
TEST_F(RunningScreenTest, TheOrderViewModelsOnRequestAndItsKeysStepByWave) {
  press(static_cast<Key>(static_cast<int>(Key::digit_1) + 3));
  ASSERT_EQ(screen->view.tab, "order");
  frame();
  click("order.model_it");
  ASSERT_TRUE(settle());
  const auto& model = screen->session.result()->block_order;
  ASSERT_TRUE(model && model->modelled());
  EXPECT_TRUE(screen->marks().contains("order.waves"));
  press(Key::home);
  press(Key::left);
  EXPECT_EQ(screen->view.playback.position, static_cast<double>(std::min(model->blocks, model->resident_blocks) - 1));
  press(Key::right, /*control=*/false, /*shift=*/true);
  EXPECT_EQ(screen->view.playback.position, static_cast<double>(std::min(model->blocks, model->resident_blocks)));
  press(Key::space);
  EXPECT_TRUE(screen->moving());
}

TEST_F(RunningScreenTest, AnIdleScreenDoesNotMove) { EXPECT_FALSE(screen->moving()); }

TEST_F(RunningScreenTest, EveryTabDrawsInBothLanguagesAndThemes) {
  for (const ViewSpec& view : views())
    for (const Language language : {Language::en, Language::zh})
      for (const bool light : {false, true}) {
        screen->view.tab = view.name;
        screen->strings.language = language;
        screen->view.light = light;
        frames(2);
        EXPECT_GT(texts_in_view(), 1U) << view.name << " has a title and what belongs to it, if nothing else";
      }
}

}  // namespace
}  // namespace tilescope
