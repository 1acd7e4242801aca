// Pass or fail, Run and the folded controls: visible in every view and at every size of the window.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "app/draw/tooltip.hpp"
#include "app/observed/result_verdict.hpp"
#include "app/window/settings.hpp"
#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

using testing::ScreenTest;

const ImVec2 kSizes[] = {{1600, 1000}, {1280, 800}, {900, 560}};

class ControlsScreenTest : public ScreenTest {
 protected:
  void resize(ImVec2 size) {
    window = size;
    frames(3);
  }
  bool is_in_window(const std::string& name) {
    const auto found = screen->marks().find(name);
    if (found == screen->marks().end()) return false;
    const Mark& mark = found->second;
    return mark.low.x >= 0 && mark.low.y >= 0 && mark.high.x <= window.x && mark.high.y <= window.y;
  }
};

TEST_F(ControlsScreenTest, RunIsInSightInEveryLabAndSizeHoweverTheColumnIsScrolled) {
  for (const ImVec2 size : kSizes) {
    resize(size);
    for (const Lab& lab : labs()) {
      screen->session.select_lab(lab.name);
      frames(2);
      EXPECT_TRUE(is_in_window("run")) << lab.name << " at " << size.x;
      point_at({size.x - 100, size.y / 2});
      for (int notch = 0; notch < 40; ++notch) {
        ImGui::GetIO().MouseWheel = -1;
        frame();
      }
      EXPECT_TRUE(is_in_window("run")) << lab.name << " at " << size.x << ", scrolled to its end";
      EXPECT_LE(screen->marks().at("run").high.y, size.y - 24) << lab.name;
      for (int notch = 0; notch < 40; ++notch) {
        ImGui::GetIO().MouseWheel = 1;
        frame();
      }
    }
  }
}

TEST_F(ControlsScreenTest, TheStatusOfARunDoesNotReachTheCheckBox) {
  for (const Language language : {Language::en, Language::zh}) {
    screen->strings.language = language;
    frames(2);
    EXPECT_GE(screen->marks().at("run.status").low.x, screen->marks().at("auto").high.x);
  }
}

TEST_F(ControlsScreenTest, ControlsOfOtherRungsStandBehindOneRowThatUnfolds) {
  screen->session.select_lab("softmax");
  frames(2);
  EXPECT_FALSE(screen->marks().contains("slider.LANES"));
  click("fold.sliders");
  EXPECT_TRUE(screen->marks().contains("slider.LANES"));
  screen->session.select_lab("vector-add");
  frames(2);
  EXPECT_FALSE(screen->marks().contains("slider.VEC"));  // each lab has its own
  screen->session.select_lab("softmax");
  frames(2);
  EXPECT_TRUE(screen->marks().contains("slider.LANES"));
  const auto settings = settings_of(*screen);
  click("fold.sliders");
  EXPECT_FALSE(screen->marks().contains("slider.LANES"));
  apply_settings(*screen, settings);  // as after a restart
  screen->session.select_lab("softmax");
  frames(2);
  EXPECT_TRUE(screen->marks().contains("slider.LANES"));
}

class VerdictScreenTest : public ControlsScreenTest {
 protected:
  void SetUp() override {
    if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
    screen->session.set_size("n", 5000);
  }
  void run() {
    press(Key::f5);
    ASSERT_TRUE(settle());
    ASSERT_NE(screen->session.result(), nullptr);
  }
};

TEST_F(VerdictScreenTest, IsInSightInEveryViewAndSize) {
  run();
  for (const ImVec2 size : kSizes)
    for (const ViewSpec& spec : views()) {
      screen->view.tab = spec.name;
      resize(size);
      EXPECT_TRUE(is_in_window("verdict")) << spec.name << " at " << size.x;
      for (const char* other : {"device", "tab.0"})
        EXPECT_FALSE(overlap(screen->marks().at("verdict"), screen->marks().at(other))) << other << " at " << size.x;
    }
}

TEST_F(VerdictScreenTest, GoesToTheFirstFinding) {
  screen->session.set_broken("DROP_MASK", true);
  run();
  const auto& findings = screen->session.result()->findings;
  ASSERT_FALSE(findings.empty());
  const ResultVerdict verdict =
      verdict_of_result(screen->session.result().get(), screen->session.error(), screen->strings);
  EXPECT_TRUE(verdict.bad());
  EXPECT_THAT(verdict.text, ::testing::HasSubstr("finding"));
  screen->view.tab = "tiles";
  click("verdict");
  EXPECT_EQ(screen->view.tab, "correctness");
  EXPECT_EQ(screen->view.selection.line, findings.front().line);
}

TEST_F(VerdictScreenTest, ASwitchThatShowsNothingSaysWhyAndLeadsToASizeAtWhichItDoes) {
  window = {1600, 1400};
  screen->session.set_size("n", 4096);  // whole tiles
  screen->session.set_broken("DROP_MASK", true);
  run();
  frames(2);
  ASSERT_TRUE(screen->session.result()->findings.empty());
  ASSERT_TRUE(screen->marks().contains("break.no_effect"));
  click("break.telling_size");
  run();
  frames(2);
  EXPECT_FALSE(screen->session.result()->findings.empty());
  EXPECT_FALSE(screen->marks().contains("break.no_effect"));
}

TEST_F(VerdictScreenTest, ASwitchInASampledRunSaysThatOnlySomeBlocksWereExecuted) {
  screen->session.select_lab("grouped-order");
  screen->session.set_broken("DROP_MASK", true);
  window = {1600, 1400};
  run();
  frames(2);
  ASSERT_NE(screen->session.result()->blocks_sampled, 0U);
  ASSERT_TRUE(screen->marks().contains("break.no_effect"));
  ASSERT_TRUE(screen->marks().contains("break.telling_size"));
  EXPECT_TRUE(screen->marks().contains("card.no_findings")) << "the executed blocks were checked";
}

TEST_F(VerdictScreenTest, ASoundRunHasNoNoteBelowItsSwitches) {
  run();
  frames(2);
  EXPECT_FALSE(screen->marks().contains("break.no_effect"));
}

TEST_F(VerdictScreenTest, TabsWithNothingForTheResultSayWhy) {
  run();
  point_at(centre("tab.5"));
  frame();
  EXPECT_THAT(screen->view.explained, ::testing::HasSubstr(screen->strings("view.shared.empty_reason")));
  click("tab.5");
  EXPECT_EQ(screen->view.tab, "shared");
}

}  // namespace
}  // namespace tilescope
