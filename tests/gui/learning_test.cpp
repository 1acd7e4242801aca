// What the window keeps about a learner, with keys and pointer but without a window: the ladder's size, the questions,
// the progress in the rail, and the pinned result.
#include <gmock/gmock.h>

#include "app/observed/baseline.hpp"
#include "app/observed/speed_model.hpp"
#include "tests/gui/screen_fixture.hpp"

namespace tilescope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class LearningScreen : public testing::ScreenTest {
 protected:
  /// The explanation of the part under the pointer.
  std::string explained_at(const std::string& mark) {
    point_at(centre(mark));
    frame();
    return screen->view.explained;
  }
  bool has(const std::string& mark) { return screen->marks().contains(mark); }
  /// Scrolls the area under the pointer to its end.
  void wheel_down(int turns) {
    for (int turn = 0; turn < turns; ++turn) {
      ImGui::GetIO().MouseWheel = -20;
      frame();
      ImGui::GetIO().MouseWheel = 0;
      frame();
    }
  }
};

TEST_F(LearningScreen, TheLadderIsAtTheLargestSizeAndTheSlidersDoNotMoveIt) {
  screen->session.select_lab("matmul-fp32");
  frame();
  ASSERT_LT(screen->session.request().config.size("M"), 1000);
  const std::string told = explained_at("rung.register-2d");
  EXPECT_THAT(told, HasSubstr("= 8,192"));
  screen->session.set_size("M", 1024);
  frames(2);
  EXPECT_EQ(explained_at("rung.register-2d"), told);
}

TEST_F(LearningScreen, ASizeOfTheLadderIsChosenFromItsHeadAndKeptForTheLab) {
  screen->session.select_lab("matmul-fp32");
  frame();
  click("ladder.size");
  ASSERT_TRUE(has("ladder.size.1024"));
  press(Key::escape);
  EXPECT_FALSE(has("ladder.size.1024")) << "Esc closes the list";
  click("ladder.size");
  click("ladder.size.1024");
  EXPECT_FALSE(has("ladder.size.1024")) << "it closes when a size is chosen";
  EXPECT_THAT(explained_at("rung.register-2d"), HasSubstr("= 1,024"));
  screen->session.select_lab("softmax");
  frame();
  EXPECT_THAT(explained_at("rung.five-kernels"), HasSubstr("8192 × 16384"));
  screen->session.select_lab("matmul-fp32");
  frame();
  EXPECT_THAT(explained_at("rung.register-2d"), HasSubstr("= 1,024"));
}

TEST_F(LearningScreen, TheUnitOfTheLadderIsTheSameAtEverySize) {
  for (const char* size : {"1024", "1048576", "1073741824"}) {
    screen->view.ladder_sizes["vector-add"] = size;
    frame();
    EXPECT_THAT(explained_at("rung.grid-stride"), HasSubstr("% of copy")) << size;
  }
}

TEST_F(LearningScreen, TheQuestionIsAboutTheChosenRungOrNamesItsOwn) {
  click("rung.vector-loads");
  EXPECT_FALSE(has("question.rung")) << "it is about this rung";
  EXPECT_EQ(screen->view.questions["vector-add"].number, 1);
  click("previous question");
  EXPECT_EQ(screen->view.questions["vector-add"].number, 0);
  ASSERT_TRUE(has("question.rung")) << "it names its own";
  click("question.rung");
  EXPECT_EQ(screen->session.rung().name, "tiles-per-cta");
  EXPECT_EQ(screen->view.questions["vector-add"].number, 0);
  click("previous question");
  EXPECT_GT(screen->view.questions["vector-add"].number, 1) << "before the first comes the last";
  click("next question");
  EXPECT_EQ(screen->view.questions["vector-add"].number, 0);
}

TEST_F(LearningScreen, AWrongAnswerIsCrossedTheRightOneCheckedAndTheReasonIsOnTheScreen) {
  screen->session.select_lab("softmax");  // its controls are taller than the window
  screen->session.select_rung("five-kernels");
  frames(3);
  const Predict& predict = screen->session.lab().predicts[0];
  auto choices = predict.choices(screen->session.request().config);
  std::ranges::sort(choices);
  const auto answer = std::ranges::find(choices, predict.answer(screen->session.request().config)) - choices.begin();
  const auto wrong = answer == 0 ? 1 : 0;
  // Scrolls as far as is needed to press it.
  point_at({1450, 500});
  for (int turn = 0; turn < 40 && centre("choice." + std::to_string(wrong)).y > 980; ++turn) {
    ImGui::GetIO().MouseWheel = -1;
    frame();
    ImGui::GetIO().MouseWheel = 0;
    frame();
  }
  EXPECT_FALSE(has("choice.check") || has("choice.cross") || has("answer"));
  click("choice." + std::to_string(wrong));
  frames(3);
  ASSERT_TRUE(has("choice.check") && has("choice.cross") && has("answer"));
  EXPECT_EQ(screen->marks().at("choice.check").low.x, screen->marks().at("choice." + std::to_string(answer)).low.x);
  EXPECT_EQ(screen->marks().at("choice.cross").low.x, screen->marks().at("choice." + std::to_string(wrong)).low.x);
  EXPECT_LE(screen->marks().at("answer").high.y, 1000 - 24) << "above the status bar";
  EXPECT_TRUE(screen->session.learned["softmax"].predictions.contains(0));
}

TEST_F(LearningScreen, ALessonIsReadAtItsEndAndNotWhenItIsOpened) {
  screen->view.tab = "lesson";
  frames(6);
  EXPECT_FALSE(screen->session.learned["vector-add"].lesson_read);
  point_at({600, 300});
  wheel_down(1);
  EXPECT_FALSE(screen->session.learned["vector-add"].lesson_read);
  wheel_down(200);
  EXPECT_TRUE(screen->session.learned["vector-add"].lesson_read);
  // The next lab's lesson begins at its top.
  screen->session.select_lab("softmax");
  frames(6);
  EXPECT_FALSE(screen->session.learned["softmax"].lesson_read);
}

TEST_F(LearningScreen, TheRailTellsWhichMarksOfALabAreEarned) {
  EXPECT_THAT(explained_at("lab.softmax"), HasSubstr("– read: the lesson to its end, or all steps"));
  LabProgress& softmax = screen->session.learned["softmax"];
  softmax = {.lesson_read = true, .predictions = {0}};
  frame();
  const std::string told = explained_at("lab.softmax");
  EXPECT_THAT(told, HasSubstr("✓ read: the lesson to its end, or all steps"));
  EXPECT_THAT(told, HasSubstr("– predicted: questions answered, 1 of 4"));
  EXPECT_THAT(told, HasSubstr("– bug found: switched on alone, and seen, 0 of 6"));
  EXPECT_THAT(told, HasSubstr("– exercise: all cases correct, 0 of 4"));
  EXPECT_THAT(told, HasSubstr("– review: cards answered right once, 0 of "));
  EXPECT_THAT(told, Not(HasSubstr("at the first try")));
  softmax.guesses["0"] = {{{2, 5, 8}, 8, 8}};
  softmax.guesses["1"] = {{{1, 7, 9}, 9, 7}, {{1, 6, 8}, 8, 8}};
  for (const ReviewCard& card : screen->recall.cards_of("softmax"))
    softmax.cards[card.id] = {.box = 1, .due = 2, .answered = 1, .tries = 1, .right = 1};
  frame();
  EXPECT_THAT(explained_at("lab.softmax"), HasSubstr("you were right 2 of 3 times at the first try"));
  EXPECT_THAT(explained_at("lab.softmax"), HasSubstr("✓ review: cards answered right once"));
}

TEST_F(LearningScreen, TheFootOfTheRailSaysHowMarksAreCounted) {
  const std::string told = explained_at("progress");
  EXPECT_THAT(told, HasSubstr("read, predicted, bug found, exercise, review"));
  EXPECT_THAT(told, HasSubstr("Labs with all of their marks: 0 of "));
  EXPECT_THAT(told, HasSubstr("Exercises solved: 0 of "));
}

TEST_F(LearningScreen, TheMenuBelowTheLabsAsksForTheNameOnTheCertificate) {
  click("keep progress");
  frames(2);
  ASSERT_TRUE(has("palette.certificate") && has("palette.progress_json"));
  click("palette.certificate");
  frames(2);
  ASSERT_TRUE(has("certificate.save"));
  click("certificate.save");
  frames(2);
  EXPECT_TRUE(screen->wants_certificate) << "the shell draws it after the frame";
  EXPECT_FALSE(has("certificate.save"));
  screen->wants_certificate = false;
  screen->view.asks_for_certificate = true;
  frames(3);
  press(Key::escape);
  frames(2);
  EXPECT_FALSE(screen->wants_certificate || screen->view.asks_for_certificate);
}

class PinningScreen : public LearningScreen {
 protected:
  void SetUp() override {
    if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
    screen->session.set_size("n", 4096);
    run();
  }
  void run() {
    press(Key::f5);
    ASSERT_TRUE(settle());
    ASSERT_NE(screen->session.result(), nullptr);
  }
};

TEST_F(PinningScreen, APinnedResultStandsBesideTheNextOfAnyRungOrLab) {
  EXPECT_FALSE(has("baseline.sectors"));
  press(Key::b);
  ASSERT_NE(screen->view.baseline, nullptr);
  EXPECT_FALSE(has("baseline.sectors")) << "there is nothing to compare it with yet";
  screen->session.select_rung("vector-loads");
  run();
  EXPECT_TRUE(has("baseline.sectors"));
  screen->session.select_lab("vector-multiply");
  run();
  EXPECT_TRUE(has("baseline.sectors")) << "it outlives the lab";
  EXPECT_EQ(screen->view.baseline->request.lab, "vector-add");
  press(Key::b);
  EXPECT_EQ(screen->view.baseline->request.lab, "vector-multiply") << "the new one is pinned";
  press(Key::b);
  EXPECT_EQ(screen->view.baseline, nullptr) << "what is pinned already is let go of";
}

TEST_F(PinningScreen, ItIsPinnedAndUnpinnedInTheControls) {
  for (int turn = 0; turn < 40 && centre("baseline.pin").y > 960; ++turn) {
    point_at({1450, 500});
    ImGui::GetIO().MouseWheel = -1;
    frame();
    ImGui::GetIO().MouseWheel = 0;
    frame();
  }
  click("baseline.pin");
  ASSERT_NE(screen->view.baseline, nullptr);
  frames(2);
  ASSERT_TRUE(has("baseline.unpin"));
  for (int turn = 0; turn < 40 && centre("baseline.unpin").y < 140; ++turn) {
    point_at({1450, 500});
    ImGui::GetIO().MouseWheel = 1;
    frame();
    ImGui::GetIO().MouseWheel = 0;
    frame();
  }
  click("baseline.unpin");
  EXPECT_EQ(screen->view.baseline, nullptr);
}

TEST_F(LearningScreen, GroupedOrderOpensWhereItsOrderMatters) {
  screen->session.select_lab("grouped-order");
  const Config& config = screen->session.request().config;
  for (const char* size : {"M", "N", "K"}) EXPECT_EQ(config.size(size), 8192);
  // Hardware counters were recorded at this size, so that the model can be compared with them.
  const RecordedCounters* counters = screen->session.counters();
  ASSERT_NE(counters, nullptr);
  bool counted = false;
  for (const CounterSet& set : counters->sets)
    for (const CounterRow& row : set.rows) {
      const auto same = [](const auto& wanted, const auto& values) {
        return std::ranges::all_of(wanted, [&](const auto& one) { return values.at(one.first) == one.second; });
      };
      counted |= same(row.sizes, config.sizes) && same(row.params, config.params);
    }
  EXPECT_TRUE(counted);
  EXPECT_TRUE(validate(screen->session.lab(), config, DeviceKind::sim));
  // The defaults, which tests and the command line run, stay at a size that is executed completely.
  EXPECT_LE(default_config(screen->session.lab(), DeviceKind::sim).size("M"), 2000);
}

}  // namespace
}  // namespace tilescope
